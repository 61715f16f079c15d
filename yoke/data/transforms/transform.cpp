#include "yoke/data/transforms/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "yoke/core/error.h"
#include "yoke/data/transforms/random_erasing.h"

namespace yoke {

Transform::Transform(const DatasetInfo& info, const Augmentation& augmentation)
    : shape_(info.image), augmentation_(augmentation), auto_augment_(augmentation, info.image) {
  const std::int64_t most = std::min(shape_.height, shape_.width);
  if (augmentation.crop < 0 || augmentation.crop > most) {
    throw UsageError(
        fmt::format("data set '{}': crop={} is out of range for images of {}; choose "
                    "from 0 (none) to {} pixels",
                    info.name, augmentation.crop, shape_.str(), most));
  }
  if (!(augmentation.random_erase >= 0 && augmentation.random_erase <= 1)) {
    throw UsageError(
        fmt::format("data set '{}': random_erase={} is no probability; choose from 0 (never) to 1",
                    info.name, augmentation.random_erase));
  }
  const auto channels = static_cast<std::size_t>(shape_.channels);
  if (info.mean.size() != channels || info.deviation.size() != channels) {
    throw Error(fmt::format("data set '{}' gives {} means and {} deviations for {} channels",
                            info.name, info.mean.size(), info.deviation.size(), channels));
  }
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = info.mean[c], deviation = info.deviation[c];
    if (!(deviation > 0)) {
      throw Error(fmt::format("data set '{}': the deviation of channel {} is {}, not positive",
                              info.name, c, deviation));
    }
    channels_.push_back({.scale = static_cast<float>(1 / (255 * deviation)),
                         .shift = static_cast<float>(-mean / deviation)});
  }
}

void Transform::apply(std::span<const std::uint8_t> pixels, RandomStream& random,
                      std::span<float> output) const {
  const auto elements = static_cast<std::size_t>(shape_.elements());
  if (pixels.size() != elements || output.size() != elements) {
    throw Error(fmt::format("an image of {} has {} elements, not {} stored and {} to fill",
                            shape_.str(), elements, pixels.size(), output.size()));
  }
  const CropAndFlip placement = draw_crop_and_flip(augmentation_, random);
  if (!auto_augment_.none()) {
    normalise_augmented(pixels.data(), placement, random, output.data());
  } else if (placement.trivial()) {
    normalise(pixels.data(), output.data());
  } else {
    normalise_placed(pixels.data(), placement, output.data());
  }
  if (augmentation_.random_erase > 0) {
    random_erase(augmentation_.random_erase, shape_, random, output);
  }
}

void Transform::normalise(const std::uint8_t* pixels, float* output) const {
  const std::int64_t plane = shape_.height * shape_.width;
  for (const Normalisation& channel : channels_) {
    convert_row(pixels, plane, /*flip=*/false, channel, output);
    pixels += plane;
    output += plane;
  }
}

void Transform::normalise_placed(const std::uint8_t* pixels, const CropAndFlip& placement,
                                 float* output) const {
  const std::int64_t plane = shape_.height * shape_.width;
  for (const Normalisation& channel : channels_) {
    place_plane(pixels, shape_, placement, channel, output);
    pixels += plane;
    output += plane;
  }
}

void Transform::normalise_augmented(const std::uint8_t* pixels, const CropAndFlip& placement,
                                    RandomStream& random, float* output) const {
  const auto elements = static_cast<std::size_t>(shape_.elements());
  const auto memory = std::make_unique_for_overwrite<std::uint8_t[]>(2 * elements);
  const std::span<std::uint8_t> image(memory.get(), elements);
  const std::span<std::uint8_t> spare(memory.get() + elements, elements);
  const std::int64_t plane = shape_.height * shape_.width;
  for (std::int64_t begin = 0; begin < shape_.elements(); begin += plane) {
    place_plane(pixels + begin, shape_, placement, std::identity(), image.data() + begin);
  }
  normalise(auto_augment_.apply(random, image, spare).data(), output);
}

}  // namespace yoke

#include "yoke/data/transforms/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "yoke/core/error.h"

namespace yoke {
namespace {

// Arithmetic rather than a table of 256 floats: compilers turn it into vector code.
void scale_and_shift(const std::uint8_t* __restrict pixels, std::int64_t count, float scale,
                     float shift, float* __restrict output) {
  for (std::int64_t i = 0; i < count; ++i) {
    output[i] = static_cast<float>(pixels[i]) * scale + shift;
  }
}

void scale_and_shift_reversed(const std::uint8_t* __restrict pixels, std::int64_t count,
                              float scale, float shift, float* __restrict output) {
  for (std::int64_t i = 0; i < count; ++i) {
    output[i] = static_cast<float>(pixels[count - 1 - i]) * scale + shift;
  }
}

}  // namespace

// Output pixel (y, x) is stored pixel (y + down, x + right), mirrored left to right after that.
struct Transform::Placement {
  std::int64_t down = 0;
  std::int64_t right = 0;
  bool flip = false;

  bool trivial() const { return down == 0 && right == 0 && !flip; }
};

Transform::Transform(const DatasetInfo& info, const Augmentation& augmentation)
    : shape_(info.image), augmentation_(augmentation) {
  const std::int64_t most = std::min(shape_.height, shape_.width);
  if (augmentation.crop < 0 || augmentation.crop > most) {
    throw UsageError(
        fmt::format("data set '{}': crop={} is out of range for images of {}; choose "
                    "from 0 (none) to {} pixels",
                    info.name, augmentation.crop, shape_.str(), most));
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
  const Placement placement = draw(random);
  if (placement.trivial()) {
    normalise(pixels.data(), output.data());
  } else {
    normalise_placed(pixels.data(), placement, output.data());
  }
}

Transform::Placement Transform::draw(RandomStream& random) const {
  Placement placement;
  if (augmentation_.crop > 0) {
    const auto places = static_cast<std::uint64_t>(2 * augmentation_.crop + 1);
    placement.down = static_cast<std::int64_t>(random.below(places)) - augmentation_.crop;
    placement.right = static_cast<std::int64_t>(random.below(places)) - augmentation_.crop;
  }
  if (augmentation_.flip) placement.flip = random.below(2) == 1;
  return placement;
}

void Transform::normalise(const std::uint8_t* pixels, float* output) const {
  const std::int64_t plane = shape_.height * shape_.width;
  for (const auto& [scale, shift] : channels_) {
    scale_and_shift(pixels, plane, scale, shift, output);
    pixels += plane;
    output += plane;
  }
}

void Transform::normalise_placed(const std::uint8_t* pixels, const Placement& placement,
                                 float* output) const {
  const std::int64_t height = shape_.height, width = shape_.width;
  const std::int64_t count = width - std::abs(placement.right);
  const std::int64_t source = std::max<std::int64_t>(placement.right, 0);
  const std::int64_t before = std::max<std::int64_t>(-placement.right, 0);
  const std::int64_t start = placement.flip ? width - count - before : before;
  for (const auto& [scale, shift] : channels_) {
    for (std::int64_t y = 0; y < height; ++y, output += width) {
      const std::int64_t stored = y + placement.down;
      if (stored < 0 || stored >= height) {
        std::fill_n(output, width, shift);
        continue;
      }
      const std::uint8_t* const row = pixels + stored * width + source;
      std::fill_n(output, start, shift);
      if (placement.flip) {
        scale_and_shift_reversed(row, count, scale, shift, output + start);
      } else {
        scale_and_shift(row, count, scale, shift, output + start);
      }
      std::fill(output + start + count, output + width, shift);
    }
    pixels += height * width;
  }
}

}  // namespace yoke

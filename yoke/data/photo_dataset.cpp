#include "yoke/data/photo_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/cut.h"
#include "yoke/data/formats/encoded_image.h"

namespace yoke {

PhotoDataset::PhotoDataset(DatasetInfo info, std::shared_ptr<const ImageIndex> index,
                           const ImageSplit& split, const PhotoView& view,
                           std::shared_ptr<DamageCount> damage)
    : info_(std::move(info)),
      index_(std::move(index)),
      split_(&split),
      view_(view),
      damage_(std::move(damage)) {}

double PhotoDataset::aspect() const {
  return static_cast<double>(info_.image.width) / static_cast<double>(info_.image.height);
}

std::span<const std::uint8_t> PhotoDataset::pixels(std::int64_t index,
                                                   std::vector<std::uint8_t>& scratch) const {
  const auto middle = [this](std::int64_t height, std::int64_t width) {
    return central_cut(height, width, aspect(), view_.centre);
  };
  return decode(index, middle, scratch);
}

std::span<const std::uint8_t> PhotoDataset::drawn_pixels(std::int64_t index, RandomStream& random,
                                                         std::vector<std::uint8_t>& scratch) const {
  if (view_.least_area >= 1) return pixels(index, scratch);
  const auto anywhere = [&](std::int64_t height, std::int64_t width) {
    return random_cut(height, width, aspect(), view_.least_area, random);
  };
  return decode(index, anywhere, scratch);
}

std::span<const std::uint8_t> PhotoDataset::decode(std::int64_t index, const ChooseCut& choose,
                                                   std::vector<std::uint8_t>& scratch) const {
  const std::int64_t wanted = label(index);
  const auto [first, last] = std::equal_range(split_->labels.begin(), split_->labels.end(), wanted);
  const std::int64_t begin = first - split_->labels.begin(), count = last - first;
  scratch.resize(static_cast<std::size_t>(info_.image.elements()));
  std::vector<std::uint8_t> file;
  for (std::int64_t next = 0; next < count; ++next) {
    const std::int64_t candidate = begin + (index - begin + next) % count;
    const ImagePlace& place = split_->images[static_cast<std::size_t>(candidate)];
    try {
      cut_image(index_->read(place, file), choose, info_.image, scratch);
      return scratch;
    } catch (const DamagedImage& damage) {
      damage_->add(place.name, damage.what());
    }
  }
  throw Error(fmt::format("data set '{}': all {} images of class '{}' are damaged", info_.name,
                          count, info_.class_names[static_cast<std::size_t>(wanted)]));
}

std::shared_ptr<const Dataset> PhotoDataset::decoded_to(std::int64_t height,
                                                        std::int64_t width) const {
  DatasetInfo info = info_;
  info.image.height = height;
  info.image.width = width;
  return std::make_shared<PhotoDataset>(std::move(info), index_, *split_, view_, damage_);
}

}  // namespace yoke

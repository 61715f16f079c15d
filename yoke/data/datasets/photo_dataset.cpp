#include "yoke/data/datasets/photo_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/encoded_image.h"
#include "yoke/data/transforms/crop.h"
#include "yoke/data/transforms/resample.h"

namespace yoke {

/// Opened by the first thread that needs it.
struct PhotoDataset::Cache {
  std::once_flag opened;
  std::unique_ptr<PhotoCache> images;
};

PhotoDataset::PhotoDataset(DatasetInfo info, std::shared_ptr<const ImageIndex> index,
                           const ImageSplit& split, PhotoView view,
                           std::shared_ptr<DamageCount> damage)
    : info_(std::move(info)),
      index_(std::move(index)),
      split_(&split),
      view_(std::move(view)),
      damage_(std::move(damage)),
      cache_(std::make_unique<Cache>()) {}

PhotoDataset::~PhotoDataset() = default;

double PhotoDataset::aspect() const {
  return static_cast<double>(info_.image.width) / static_cast<double>(info_.image.height);
}

Crop PhotoDataset::middle(std::int64_t height, std::int64_t width) const {
  return center_crop(height, width, aspect(), info_.centre);
}

std::span<const std::uint8_t> PhotoDataset::pixels(std::int64_t index,
                                                   std::vector<std::uint8_t>& scratch) const {
  const auto choose = [this](std::int64_t height, std::int64_t width) {
    return middle(height, width);
  };
  return decode(index, choose, scratch);
}

std::span<const std::uint8_t> PhotoDataset::drawn_pixels(std::int64_t index, RandomStream& random,
                                                         std::vector<std::uint8_t>& scratch) const {
  const auto choose = [&](std::int64_t height, std::int64_t width) {
    return view_.least_area < 1
               ? random_resized_crop(height, width, aspect(), view_.least_area, random)
               : middle(height, width);
  };
  const auto pixels = decode(index, choose, scratch);
  if (!view_.jitter.none()) {
    jitter(view_.jitter, random, info_.image.height * info_.image.width, scratch.data());
  }
  return pixels;
}

std::span<const std::uint8_t> PhotoDataset::decode(std::int64_t index, const ChooseCrop& choose,
                                                   std::vector<std::uint8_t>& scratch) const {
  const ImageShape& shape = info_.image;
  scratch.resize(static_cast<std::size_t>(shape.elements()));
  if (view_.cache.empty()) {
    decode_file(index, choose, shape, scratch);
  } else {
    const Raster raster = cache().image(index);
    resample(raster, choose(raster.height, raster.width), shape.height, shape.width,
             scratch.data());
  }
  return scratch;
}

void PhotoDataset::decode_file(std::int64_t index, const ChooseCrop& choose,
                               const ImageShape& shape, std::span<std::uint8_t> pixels) const {
  const std::int64_t wanted = label(index);
  const auto [first, last] = std::equal_range(split_->labels.begin(), split_->labels.end(), wanted);
  const std::int64_t begin = first - split_->labels.begin(), count = last - first;
  std::vector<std::uint8_t> file;
  for (std::int64_t next = 0; next < count; ++next) {
    const std::int64_t candidate = begin + (index - begin + next) % count;
    const ImagePlace& place = split_->images[static_cast<std::size_t>(candidate)];
    try {
      crop_image(index_->store().read(place, file), choose, shape, pixels);
      return;
    } catch (const DamagedImage& damage) {
      damage_->add(place.name, damage.what());
    }
  }
  throw Error(fmt::format("data set '{}': all {} images of class '{}' are damaged", info_.name,
                          count, info_.class_names[static_cast<std::size_t>(wanted)]));
}

const PhotoCache& PhotoDataset::cache() const {
  std::call_once(cache_->opened, [this] { cache_->images = open_cache(); });
  return *cache_->images;
}

std::unique_ptr<PhotoCache> PhotoDataset::open_cache() const {
  const auto grown = [this](std::int64_t side) {
    return std::llround(static_cast<double>(side) / info_.centre);
  };
  const ImageShape shape{3, grown(info_.image.height), grown(info_.image.width)};
  const auto largest = [this](std::int64_t height, std::int64_t width) {
    return center_crop(height, width, aspect(), 1);
  };
  const auto fill = [&](std::int64_t index, std::span<std::uint8_t> pixels) {
    std::vector<std::uint8_t> planes(pixels.size());
    decode_file(index, largest, shape, planes);
    const std::size_t plane = planes.size() / 3;
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = planes[i % 3 * plane + i / 3];
  };
  const std::string name = fmt::format("{}-{}.pixels", shape.str(), index_->fingerprint(*split_));
  return std::make_unique<PhotoCache>(view_.cache / name, size(), shape.height, shape.width, fill);
}

std::shared_ptr<const Dataset> PhotoDataset::decoded_to(std::int64_t height,
                                                        std::int64_t width) const {
  DatasetInfo info = info_;
  info.image.height = height;
  info.image.width = width;
  return std::make_shared<PhotoDataset>(std::move(info), index_, *split_, view_, damage_);
}

}  // namespace yoke

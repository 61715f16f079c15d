#include "yoke/data/datasets/in_memory.h"

#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"

namespace yoke {

void check_labels(std::span<const std::int64_t> labels, std::int64_t classes,
                  std::string_view source) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= 0 && labels[i] < classes) continue;
    throw Error(fmt::format("{}: label {} of image {} is out of range; expected 0 to {}", source,
                            labels[i], i, classes - 1));
  }
}

namespace {

PixelBlock block_of(std::vector<std::uint8_t> pixels) {
  const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels));
  return {.bytes = *owner, .owner = owner};
}

}  // namespace

InMemoryDataset::InMemoryDataset(DatasetInfo info, std::vector<std::uint8_t> pixels,
                                 std::vector<std::int64_t> labels)
    : InMemoryDataset(std::move(info), block_of(std::move(pixels)), std::move(labels)) {}

InMemoryDataset::InMemoryDataset(DatasetInfo info, PixelBlock pixels,
                                 std::vector<std::int64_t> labels)
    : info_(std::move(info)), pixels_(std::move(pixels)), labels_(std::move(labels)) {
  const auto elements = static_cast<std::size_t>(info_.image.elements());
  // Dividing rather than multiplying, which could overflow.
  const bool fits = elements > 0 ? pixels_.bytes.size() % elements == 0 &&
                                       pixels_.bytes.size() / elements == labels_.size()
                                 : pixels_.bytes.empty();
  if (!fits) {
    throw Error(fmt::format("data set '{}' has {} bytes of pixels for {} images of {}", info_.name,
                            pixels_.bytes.size(), labels_.size(), info_.image.str()));
  }
  check_labels(labels_, info_.classes(), fmt::format("data set '{}'", info_.name));
}

std::string InMemoryDataset::name(std::int64_t index) const {
  return fmt::format("image {}", index);
}

std::span<const std::uint8_t> InMemoryDataset::pixels(std::int64_t index,
                                                      std::vector<std::uint8_t>&) const {
  const auto elements = static_cast<std::size_t>(info_.image.elements());
  return pixels_.bytes.subspan(static_cast<std::size_t>(index) * elements, elements);
}

}  // namespace yoke

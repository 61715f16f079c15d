#include "yoke/data/formats/orientation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace yoke {
namespace {

constexpr std::string_view kExif("Exif\0\0", 6);

/// Numbers of a TIFF block, in the order of bytes that it declares.
class Tiff {
 public:
  explicit Tiff(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    if (bytes.size() < 8 || bytes[0] != bytes[1]) return;
    little_ = bytes[0] == 'I';
    valid_ = little_ || bytes[0] == 'M';
  }

  bool valid() const { return valid_; }

  std::optional<std::uint32_t> number(std::size_t place, std::size_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value = value << 8 | bytes_[place + (little_ ? size - 1 - i : i)];
    }
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool little_ = false;
  bool valid_ = false;
};

/// The value of the tag in the first directory, 0 where there is none.
std::uint32_t orientation_tag(const Tiff& tiff) {
  constexpr std::uint32_t kTag = 0x0112, kShort = 3;
  const auto directory = tiff.number(4, 4);
  if (!directory) return 0;
  const auto entries = tiff.number(*directory, 2);
  for (std::size_t i = 0; i < entries.value_or(0); ++i) {
    const std::size_t entry = std::size_t{*directory} + 2 + 12 * i;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return 0;
    if (*tag != kTag) continue;
    return tiff.number(entry + 2, 2) == kShort ? tiff.number(entry + 8, 2).value_or(0) : 0;
  }
  return 0;
}

}  // namespace

Orientation exif_orientation(std::span<const std::uint8_t> marker) {
  if (marker.size() < kExif.size() || !std::equal(kExif.begin(), kExif.end(), marker.begin())) {
    return {};
  }
  const Tiff tiff(marker.subspan(kExif.size()));
  const std::uint32_t tag = tiff.valid() ? orientation_tag(tiff) : 0;
  return {.transposed = tag >= 5 && tag <= 8,
          .rows_flipped = tag == 3 || tag == 4 || tag == 6 || tag == 7,
          .columns_flipped = tag == 2 || tag == 3 || tag == 7 || tag == 8};
}

Crop stored_crop(const Crop& crop, const Orientation& orientation, std::int64_t height,
                 std::int64_t width) {
  Crop stored = crop;
  if (orientation.transposed) {
    std::swap(stored.left, stored.top);
    std::swap(stored.width, stored.height);
  }
  if (orientation.rows_flipped) {
    stored.top = static_cast<double>(height) - stored.top - stored.height;
  }
  if (orientation.columns_flipped) {
    stored.left = static_cast<double>(width) - stored.left - stored.width;
  }
  return stored;
}

void turn_upright(const std::uint8_t* stored, std::int64_t channels, std::int64_t height,
                  std::int64_t width, const Orientation& orientation, std::uint8_t* upright) {
  const std::int64_t rows = orientation.transposed ? width : height;
  const std::int64_t columns = orientation.transposed ? height : width;
  for (std::int64_t c = 0; c < channels; ++c, stored += height * width) {
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < columns; ++x) {
        std::int64_t row = orientation.transposed ? x : y, column = orientation.transposed ? y : x;
        if (orientation.rows_flipped) row = height - 1 - row;
        if (orientation.columns_flipped) column = width - 1 - column;
        *upright++ = stored[row * width + column];
      }
    }
  }
}

}  // namespace yoke

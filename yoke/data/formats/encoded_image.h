// yoke/data/formats/encoded_image.h: an image in a file's bytes, of whatever format.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "yoke/core/error.h"
#include "yoke/data/formats/orientation.h"
#include "yoke/data/formats/raster.h"

namespace yoke {

/// The bytes of one image are not what its format says, or nothing that Yoke can read.
class DamagedImage : public Error {
 public:
  using Error::Error;
};

/// The most pixels of an image; what declares more is taken for damaged, before memory is.
inline constexpr std::int64_t kMostPixels = 100'000'000;

/// An image whose header was read.
class EncodedImage {
 public:
  virtual ~EncodedImage() = default;
  virtual std::int64_t height() const = 0;  ///< As stored.
  virtual std::int64_t width() const = 0;   ///< As stored.
  virtual Orientation orientation() const = 0;

  /// Decodes at least `crop`, given in stored pixels, with what a resampling to `height` x `width`
  /// needs around it, at no lower resolution than that unless the image has less. Called once.
  /// @throws DamagedImage.
  virtual Raster decode(const Crop& crop, std::int64_t height, std::int64_t width) = 0;
};

/// Reads the header of a JPEG or PNG image, told by its first bytes. `bytes` must outlive it.
/// @throws DamagedImage.
std::unique_ptr<EncodedImage> open_image(std::span<const std::uint8_t> bytes);

}  // namespace yoke

// yoke/data/datasets/image_store.h: the bytes of image files, in folders and in tar files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yoke/data/formats/tar.h"

namespace yoke {

/// Where the bytes of one image are.
struct ImagePlace {
  std::string name;           ///< Below the root; in a tar file, its name, '/' and the entry's.
  std::int32_t archive = -1;  ///< Which tar file; -1: a file of its own.
  std::int64_t offset = 0;    ///< In that tar file.
  std::int64_t size_bytes = 0;
};

/// What is below a folder, or in the one tar file that is the root.
class ImageStore {
 public:
  ImageStore() = default;
  ImageStore(std::filesystem::path root, std::vector<std::unique_ptr<const TarFile>> archives);

  const std::filesystem::path& root() const { return root_; }
  /// The image's own file, or the tar file that it is in.
  std::filesystem::path file(const ImagePlace& place) const;

  /// The bytes of the image at `place`; in `scratch`, or valid as long as this is. Safe from
  /// several threads. @throws Error when they cannot be read, DamagedImage when there are too many.
  std::span<const std::uint8_t> read(const ImagePlace& place,
                                     std::vector<std::uint8_t>& scratch) const;

 private:
  std::filesystem::path root_;
  std::vector<std::unique_ptr<const TarFile>> archives_;
};

}  // namespace yoke

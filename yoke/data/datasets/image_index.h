// yoke/data/datasets/image_index.h: the image files below a folder, by split and class.
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

/// The images of one split, sorted by class, then by name.
struct ImageSplit {
  std::vector<ImagePlace> images;
  std::vector<std::int64_t> labels;  ///< One per image, ascending.
};

/// What is below a root.
class ImageIndex {
 public:
  /// Looks for images (`.jpg`, `.jpeg`, `.png` in any case) in folders and in tar files below
  /// `root`, or in the one tar file `root`. An image belongs to the split (`train`; `val`,
  /// `valid`, `validation`; `test`) that a folder above it names, else the name of its tar file up
  /// to a digit or one of `-_.`, and to the class of the next folder, else that its tar file's
  /// name gives. `test` validates where there is no `val`; without either, and where no split is
  /// named at all, the fraction `holdout` of the images does, spread evenly.
  /// @throws UsageError when there are no images or only one class; Error when a tar file is
  /// damaged or a class is validated but not trained.
  ImageIndex(std::filesystem::path root, double holdout);

  const std::vector<std::string>& classes() const { return classes_; }  ///< Sorted.
  const ImageSplit& train() const { return train_; }
  const ImageSplit& validation() const { return validation_; }

  /// The bytes of the file at `place`; in `scratch`, or valid as long as this is. Safe from several
  /// threads. @throws Error when they cannot be read, DamagedImage when there are too many.
  std::span<const std::uint8_t> read(const ImagePlace& place,
                                     std::vector<std::uint8_t>& scratch) const;

  /// Hexadecimal digits that change when an image of `split` comes, goes, or is written anew.
  std::string fingerprint(const ImageSplit& split) const;

 private:
  std::filesystem::path root_;
  std::vector<std::unique_ptr<const TarFile>> archives_;
  std::vector<std::string> classes_;
  ImageSplit train_, validation_;
};

}  // namespace yoke

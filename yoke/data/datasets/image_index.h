// yoke/data/datasets/image_index.h: the image files below a folder, by split and class.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/data/datasets/image_store.h"

namespace yoke {

/// The images of one split, sorted by class, then by name.
struct ImageSplit {
  std::vector<ImagePlace> images;
  std::vector<std::int64_t> labels;  ///< One per image, ascending.
};

/// Where images are, and what says of which class they are.
struct ImageSource {
  std::vector<std::filesystem::path> roots;  ///< Folders or tar files, at least one.
  double holdout = 0;                        ///< In [0, 1).
  std::filesystem::path labels = {};         ///< A CSV file, see apply_labels(); empty: folders.
};

/// What is below some roots.
class ImageIndex {
 public:
  /// Looks for images (`.jpg`, `.jpeg`, `.png` in any case) in folders and in tar files below
  /// a root, or in the tar file that is one. An image belongs to the split (`train`; `val`,
  /// `valid`, `validation`; `test`) that a folder above it names, else the name of its tar file up
  /// to a digit or one of `-_.`, and to the class of the next folder, else that its tar file's
  /// name gives. `test` validates where there is no `val`; without either, and where no split is
  /// named at all, the fraction `holdout` of the images does, spread evenly.
  /// @throws UsageError when there are no images or only one class; Error when a tar file is
  /// damaged or a class is validated but not trained.
  explicit ImageIndex(const ImageSource& source);

  const std::vector<std::string>& classes() const { return classes_; }  ///< Sorted.
  const ImageSplit& train() const { return train_; }
  const ImageSplit& validation() const { return validation_; }
  /// Folders below the root without an image, beside others that have some.
  const std::vector<std::string>& empty_folders() const { return empty_folders_; }
  /// Images that the file of labels does not have, sorted.
  const std::vector<std::string>& unlabelled() const { return unlabelled_; }
  bool held_out() const { return held_out_; }  ///< Whether no image was named to validate.

  const ImageStore& store() const { return store_; }  ///< Of the images of both.

  /// Hexadecimal digits that change when an image of `split` comes, goes, or is written anew.
  std::string fingerprint(const ImageSplit& split) const;

 private:
  ImageStore store_;
  std::vector<std::string> classes_;
  std::vector<std::string> empty_folders_, unlabelled_;
  ImageSplit train_, validation_;
  bool held_out_ = false;
};

}  // namespace yoke

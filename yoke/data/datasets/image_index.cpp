#include "yoke/data/datasets/image_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/format.h"
#include "yoke/data/datasets/image_labels.h"
#include "yoke/data/datasets/image_search.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

using Images = std::vector<FoundImage>;

/// The images by split, each sorted by class and name.
std::map<std::string, Images> by_split(Images images) {
  std::map<std::string, Images> splits;
  for (FoundImage& image : images) {
    if (!image.label.empty()) splits[image.split].push_back(std::move(image));
  }
  for (auto& [split, found] : splits) {
    std::sort(found.begin(), found.end(), [](const FoundImage& a, const FoundImage& b) {
      return std::tie(a.label, a.place.name) < std::tie(b.label, b.place.name);
    });
  }
  return splits;
}

/// Takes every n-th image out of `images`, n being 1 / `fraction`.
Images hold_out(Images& images, double fraction) {
  constexpr double kRounding = 1e-9;  // a tenth of forty is four
  Images kept, held;
  for (FoundImage& image : images) {
    const auto seen = static_cast<double>(kept.size() + held.size() + 1);
    const bool hold = static_cast<double>(held.size()) + 1 <= seen * fraction + kRounding;
    (hold ? held : kept).push_back(std::move(image));
  }
  images = std::move(kept);
  return held;
}

std::vector<std::string> class_names(const Images& images) {
  std::vector<std::string> names;
  for (const FoundImage& image : images) {
    if (names.empty() || names.back() != image.label) names.push_back(image.label);
  }
  return names;
}

ImageSplit with_labels(Images images, const std::vector<std::string>& classes,
                       const std::string& where) {
  ImageSplit split;
  for (FoundImage& image : images) {
    const auto place = std::lower_bound(classes.begin(), classes.end(), image.label);
    if (place == classes.end() || *place != image.label) {
      throw Error(fmt::format("{}: '{}' is of class '{}', which has no training images", where,
                              image.place.name, image.label));
    }
    split.images.push_back(std::move(image.place));
    split.labels.push_back(place - classes.begin());
  }
  return split;
}

[[noreturn]] void refuse_classes(const std::string& where, const std::vector<std::string>& classes,
                                 const std::vector<std::string>& empty_folders) {
  throw UsageError(fmt::format(
      "{} has training images of {}{}; wanted are 2 classes or more, as train/CLASS/NAME.jpg and "
      "val/CLASS/NAME.jpg, or CLASS/NAME.jpg, also in tar files",
      where, classes.empty() ? "no class" : fmt::format("one class alone, '{}'", classes.front()),
      empty_folders.empty() ? ""
                            : fmt::format(" (folders without .jpg, .jpeg or .png files: {})",
                                          list_few(empty_folders))));
}

std::vector<std::string> as_texts(const std::vector<fs::path>& paths) {
  return {paths.begin(), paths.end()};
}

}  // namespace

ImageIndex::ImageIndex(const ImageSource& source) {
  const std::string where = fmt::format("{}", fmt::join(as_texts(source.roots), ", "));
  FoundImages found = find_images(source.roots);
  store_ = std::move(found.store);
  empty_folders_ = std::move(found.empty_folders);
  if (!source.labels.empty()) unlabelled_ = apply_labels(found.images, source.labels);
  auto splits = by_split(std::move(found.images));
  Images train = std::move(splits.contains("train") ? splits["train"] : splits[""]);
  classes_ = class_names(train);
  if (classes_.size() < 2) refuse_classes(where, classes_, empty_folders_);
  Images validation = std::move(splits.contains("val") ? splits["val"] : splits["test"]);
  held_out_ = validation.empty();
  if (held_out_) validation = hold_out(train, source.holdout);
  if (validation.empty() || train.empty()) {
    throw UsageError(
        fmt::format("{}: of its images {} remain to train and {} to validate, with "
                    "holdout={}; add images or change holdout",
                    where, train.size(), validation.size(), source.holdout));
  }
  train_ = with_labels(std::move(train), classes_, where);
  validation_ = with_labels(std::move(validation), classes_, where);
}

std::string ImageIndex::fingerprint(const ImageSplit& split) const {
  Checksum sum("sha256");
  for (std::size_t i = 0; i < split.images.size(); ++i) {
    const ImagePlace& place = split.images[i];
    // Entries of a tar file change with the file, whose name theirs begin with.
    const bool inside = place.archive >= 0;
    const fs::path path = store_.file(place);
    const std::string line =
        fmt::format("{} {} {} {} {}\n", place.name, split.labels[i], place.offset,
                    inside ? place.size_bytes : static_cast<std::int64_t>(fs::file_size(path)),
                    fs::last_write_time(path).time_since_epoch().count());
    sum.update(std::as_bytes(std::span(line)));
  }
  return sum.finish();
}

}  // namespace yoke

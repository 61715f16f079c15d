// yoke/data/datasets/image_folder.cpp: photos in a folder per class, as ImageNet's are kept: in
// root/{train,val}/<class>, in root/<class>, or in tar files that hold these.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/core/split.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/image_index.h"
#include "yoke/data/datasets/photo_dataset.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "image-folder";

/// Whether `folder` has something by the name of training images; any folder has sub-folders.
bool has_train(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name == "train" || (name.starts_with("train") && is_tar_name(name))) return true;
  }
  return false;
}

/// Several stand with colons between them, unless all of the text is a path.
std::vector<fs::path> given_roots(const std::string& given) {
  if (fs::exists(given)) return {given};
  std::vector<fs::path> roots;
  for (const auto part : split(given, ':')) {
    roots.emplace_back(part);
    if (!part.empty() && fs::exists(roots.back())) continue;
    throw UsageError(fmt::format(
        "data set '{}': root '{}' does not exist; give a folder with train/CLASS/NAME.jpg or "
        "CLASS/NAME.jpg, or a tar file; several with colons between them",
        kName, part));
  }
  return roots;
}

std::vector<fs::path> find_roots(const std::string& given, const fs::path& data_dir) {
  if (!given.empty()) return given_roots(given);
  fs::path named = data_dir / kName;
  if (fs::exists(named)) return {named};
  if (has_train(data_dir)) return {data_dir};
  throw UsageError(fmt::format(
      "no files of data set '{}' in any of {}, {}; give the folder with train/CLASS/NAME.jpg, or a "
      "tar file, as --data {}:root=PATH, or the folder as --data-dir",
      kName, named.string(), data_dir.string(), kName));
}

/// As it is named, or below the only root.
fs::path find_labels(const std::string& given, const std::vector<fs::path>& roots) {
  if (given.empty() || fs::exists(given)) return given;
  const fs::path below = roots.front() / given;
  if (fs::exists(below)) return below;
  throw UsageError(fmt::format(
      "data set '{}': labels '{}' does not exist, here or in {}; give a CSV file with lines as "
      "cat/1.jpg,cat",
      kName, given, roots.front().string()));
}

/// What was found beside the images that the data set has, in words.
std::string left_out(const ImageIndex& index) {
  std::vector<std::string> sentences;
  if (!index.empty_folders().empty()) {
    sentences.push_back(
        fmt::format("no class is made of folders without .jpg, .jpeg or .png files: {}",
                    list_few(index.empty_folders())));
  }
  if (!index.unlabelled().empty()) {
    sentences.push_back(fmt::format("the file of labels does not have {}: {}",
                                    format_count(std::ssize(index.unlabelled()), "image"),
                                    list_few(index.unlabelled())));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

struct ImageFolderOptions {
  std::string root = {};
  std::string labels = {};
  std::int64_t size = 224;
  double scale = 0.08;
  double crop_pct = 0.875;
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
  double holdout = 0.1;
  double damaged = 0.001;
  std::string cache = {};
};

OptionTable<ImageFolderOptions> image_folder_options() {
  using O = ImageFolderOptions;
  return {
      {"root", &O::root,
       "folder or tar file, or several with colons between them; a comma in its path is written "
       "`\\,`"},
      {"labels", &O::labels,
       "CSV file of images and their classes, in place of a folder per class; here or in root"},
      {"size", &O::size, in(1, 4096),
       "height and width of what the model sees, unless the model itself takes another"},
      {{kPhotoScale, kOlderPhotoScale},
       &O::scale,
       in(0.0001, 1),
       "a training image is a random part of the photo with at least this part of its area and a "
       "form of 3:4 to 4:3 (torchvision's RandomResizedCrop); 1: the same as in validation"},
      {{"crop_pct", "centre"},
       &O::crop_pct,
       in(0.01, 1),
       "validation sees the middle square whose side is so much of the photo's shorter one "
       "(torchvision's Resize to 256 and CenterCrop to 224); 1: the largest"},
      {"brightness", &O::brightness, in(0, 1),
       "that of training images is multiplied by a random 1 - x to 1 + x"},
      {"contrast", &O::contrast, in(0, 1), "likewise"},
      {"saturation", &O::saturation, in(0, 1), "likewise"},
      {"hue", &O::hue, in(0, 0.5),
       "colours of training images turn by up to so much of the colour circle, to either side"},
      {"holdout", &O::holdout, in(0, 0.5),
       "part of the images that validates where no split is named"},
      {"damaged", &O::damaged, in(0, 1), "part of the files that may be damaged"},
      {"cache", &O::cache, "folder for decoded images"},
  };
}

DatasetSplits load_image_folder(const DatasetInput& input, const ImageFolderOptions& options) {
  const auto roots = find_roots(options.root, input.data_dir);
  const auto index = std::make_shared<ImageIndex>(ImageSource{
      .roots = roots, .holdout = options.holdout, .labels = find_labels(options.labels, roots)});
  const DatasetInfo info{.name = kName,
                         .image = {.channels = 3, .height = options.size, .width = options.size},
                         .class_names = index->classes(),
                         .mean = {0.485F, 0.456F, 0.406F},  // ImageNet's
                         .deviation = {0.229F, 0.224F, 0.225F},
                         .centre = options.crop_pct};
  const auto images = index->train().images.size() + index->validation().images.size();
  const auto damage =
      std::make_shared<DamageCount>(static_cast<std::int64_t>(images), options.damaged);
  const PhotoView middle{.cache = options.cache};
  const PhotoView random{.least_area = options.scale,
                         .jitter = {.brightness = options.brightness,
                                    .contrast = options.contrast,
                                    .saturation = options.saturation,
                                    .hue = options.hue},
                         .cache = options.cache};
  return {.train = std::make_shared<PhotoDataset>(info, index, index->train(), random, damage),
          .validation =
              std::make_shared<PhotoDataset>(info, index, index->validation(), middle, damage),
          .damage = damage,
          .held_out = index->held_out()
                          ? fmt::format("{:g} % of the images validate, spread evenly, for no "
                                        "folder is named val (holdout={:g})",
                                        100 * options.holdout, options.holdout)
                          : "",
          .left_out = left_out(*index)};
}

}  // namespace

DatasetPlugin image_folder_dataset() {
  return {image_folder_options(), load_image_folder,
          DatasetTraits{.flip = true,
                        .photos = true,
                        .mirrors = true,
                        .usual_model = "resnet18",
                        .usual_batch_size = 32}};
}

}  // namespace yoke

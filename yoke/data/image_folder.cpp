// yoke/data/image_folder.cpp: photos in a folder per class, as ImageNet's are kept: in
// root/{train,val}/<class>, in root/<class>, or in tar files that hold these.
#include <fmt/format.h>

#include <array>

#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/data/image_index.h"
#include "yoke/data/photo_dataset.h"

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

fs::path find_root(const std::string& given, const fs::path& data_dir) {
  if (!given.empty()) {
    if (fs::exists(given)) return given;
    throw UsageError(fmt::format(
        "data set '{}': root '{}' does not exist; give a folder with train/CLASS/NAME.jpg or "
        "CLASS/NAME.jpg, or a tar file",
        kName, given));
  }
  fs::path named = data_dir / kName;
  if (fs::exists(named)) return named;
  if (has_train(data_dir)) return data_dir;
  throw UsageError(fmt::format(
      "no files of data set '{}' in any of {}, {}; give the folder with train/CLASS/NAME.jpg, or a "
      "tar file, as --data {}:root=PATH, or the folder as --data-dir",
      kName, named.string(), data_dir.string(), kName));
}

}  // namespace

DatasetSplits make_image_folder(const DatasetInput& input, Options& options) {
  const std::string root = options.get("root", std::string());
  const auto size = options.get("size", std::int64_t{224}, 1, 4096);  // height and width
  const double holdout = options.get("holdout", 0.1, 0.0, 0.5);       // validates, without a split
  // Of the middle part that validation sees, the side as a fraction of the shorter one.
  const double centre = options.get("centre", 0.875, 0.01, 1.0);
  const double area = options.get("area", 0.08, 0.0001, 1.0);  // least, of training's random parts
  const ColourJitter jitter{.brightness = options.get("brightness", 0.0, 0.0, 1.0),
                            .contrast = options.get("contrast", 0.0, 0.0, 1.0),
                            .saturation = options.get("saturation", 0.0, 0.0, 1.0),
                            .hue = options.get("hue", 0.0, 0.0, 0.5)};  // turns
  const std::string cache = options.get("cache", std::string());        // folder of decoded images
  const double damaged = options.get("damaged", 0.001, 0.0, 1.0);  // fraction that is passed over

  const auto index = std::make_shared<const ImageIndex>(find_root(root, input.data_dir), holdout);
  const DatasetInfo info{.name = kName,
                         .image = {.channels = 3, .height = size, .width = size},
                         .class_names = index->classes(),
                         .mean = {0.485F, 0.456F, 0.406F},  // ImageNet's
                         .deviation = {0.229F, 0.224F, 0.225F}};
  const auto images = index->train().images.size() + index->validation().images.size();
  const auto damage = std::make_shared<DamageCount>(static_cast<std::int64_t>(images), damaged);
  const PhotoView middle{.centre = centre, .cache = cache};
  const PhotoView random{.centre = centre, .least_area = area, .jitter = jitter, .cache = cache};
  return {.train = std::make_shared<PhotoDataset>(info, index, index->train(), random, damage),
          .validation =
              std::make_shared<PhotoDataset>(info, index, index->validation(), middle, damage),
          .augmentation = {.flip = true},
          .damage = damage};
}

}  // namespace yoke

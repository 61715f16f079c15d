// yoke/data/dataset.h: labelled images, and how to find a data set by name.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/core/random.h"
#include "yoke/data/damage_count.h"
#include "yoke/data/transforms/augmentation.h"

namespace yoke {

/// What all images of a data set share.
struct DatasetInfo {
  std::string name;
  ImageShape image;                      ///< Of the stored images.
  std::vector<std::string> class_names;  ///< One per class.
  std::vector<float> mean;               ///< Per channel, of pixels in [0, 1].
  std::vector<float> deviation;          ///< Standard deviation per channel, likewise.
  /// The part of a photo's shorter side that the middle of it has which a model sees, in (0, 1].
  double centre = 1;

  std::int64_t classes() const { return static_cast<std::int64_t>(class_names.size()); }
};

/// Labelled images of one split. Safe to read from several threads.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual const DatasetInfo& info() const = 0;
  virtual std::int64_t size() const = 0;  ///< Number of images.

  /// The class of image `index` in [0, size()), in [0, classes).
  virtual std::int64_t label(std::int64_t index) const = 0;

  /// What people know image `index` by: its file, or its number.
  virtual std::string name(std::int64_t index) const = 0;

  /// The pixels of image `index`, uint8 [C, H, W] of `info().image`. A data set that must decode
  /// does so into `scratch`; the span is valid until `scratch` changes or the data set goes.
  virtual std::span<const std::uint8_t> pixels(std::int64_t index,
                                               std::vector<std::uint8_t>& scratch) const = 0;

  /// The pixels of image `index` as training sees them. A data set that decodes draws from `random`
  /// which part of the image they are; to others all draws are alike.
  virtual std::span<const std::uint8_t> drawn_pixels(std::int64_t index, RandomStream& random,
                                                     std::vector<std::uint8_t>& scratch) const {
    static_cast<void>(random);
    return pixels(index, scratch);
  }

  /// Whether drawn_pixels() hang on what is drawn; else they are pixels().
  virtual bool draws() const { return false; }

  /// The same images of `height` x `width`, where they can be decoded to any size; null where they
  /// have one, and are to be resized.
  virtual std::shared_ptr<const Dataset> decoded_to(std::int64_t height, std::int64_t width) const {
    static_cast<void>(height), static_cast<void>(width);
    return nullptr;
  }
};

/// The option of every data set that leaves all but the first validation images out.
inline constexpr const char* kValidationLimit = "validation_limit";

/// Options by which training images are changed, and words of them that `--augment` chooses: of
/// every data set, and of photos.
inline constexpr const char* kCrop = "crop";
inline constexpr const char* kFlip = "flip";
inline constexpr const char* kAutoAugment = "auto_augment";
inline constexpr const char* kNoAutoAugment = "none";
inline constexpr const char* kTrivialAugmentWide = "trivial-augment-wide";
inline constexpr const char* kRandomErase = "random_erase";
inline constexpr const char* kPhotoScale = "scale";
inline constexpr const char* kOlderPhotoScale = "area";

/// The two splits of a data set.
struct DatasetSplits {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> validation;
  Augmentation augmentation{};  ///< Of the training images, as the user chose.
  /// Of files that cannot be decoded; null for data sets that are read whole.
  std::shared_ptr<DamageCount> damage{};
  /// Which part of the images validates, where none are named for it; else empty.
  std::string held_out{};
  /// What was found beside the images and is none of them; else empty.
  std::string left_out{};
};

/// Where a data set is made from.
struct DatasetInput {
  std::filesystem::path data_dir;  ///< `--data-dir`.
  std::uint64_t seed = 0;          ///< For data that is drawn rather than read.
};

struct DatasetTraits {
  bool flip = false;     ///< Whether training images are flipped unless the user says otherwise.
  bool photos = false;   ///< Decoded, by kPhotoScale, rather than stored as pixels.
  bool mirrors = false;  ///< Whether mirror images are of the same class: `--augment` flips them.
  std::int64_t usual_crop = 0;  ///< Of `--augment`, where they are no photos: an eighth of a side.
  /// What `yoke train` takes where it is not given, in place of its own defaults; empty, 0: those.
  const char* usual_model = "";
  std::int64_t usual_batch_size = 0;
};

/// A data set as its file declares it.
using DatasetPlugin = Plugin<DatasetSplits(const DatasetInput& input), DatasetTraits>;

/// Every data set of datasets.def, each with the options of Augmentation and limits to its splits.
const Registry<DatasetPlugin>& datasets();

/// Loads the data set that `text` (`name:key=value,...`) names.
/// @throws UsageError on an unknown name or option, or when its files are not found: the message
/// lists the places looked at and how to get them. @throws Error when a file is damaged.
DatasetSplits make_dataset(std::string_view text, const DatasetInput& input);

}  // namespace yoke

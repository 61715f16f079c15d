// yoke/data/datasets/photo_dataset.h: image files as a data set that decodes each one when it is
// asked for.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yoke/data/damage_count.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/image_index.h"
#include "yoke/data/datasets/photo_cache.h"
#include "yoke/data/transforms/colour_jitter.h"
#include "yoke/data/transforms/crop_image.h"

namespace yoke {

/// What of a photo is seen.
struct PhotoView {
  double least_area = 1;  ///< Training's random parts have so much of the area; 1: the middle too.
  ColourJitter jitter{};  ///< Of training images.
  /// Folder in which the largest middle parts are kept decoded, at the size that makes the middle
  /// that is seen as large as the output; empty: none. Training's random parts are then parts of
  /// these.
  std::filesystem::path cache{};
};

/// One split of an index. A damaged file is noted, and the next image of its class that decodes
/// stands in for it, so that batches keep their sizes and labels.
class PhotoDataset final : public Dataset {
 public:
  /// `split` is one of `index`. Nothing is opened before it is asked for.
  PhotoDataset(DatasetInfo info, std::shared_ptr<const ImageIndex> index, const ImageSplit& split,
               PhotoView view, std::shared_ptr<DamageCount> damage);
  ~PhotoDataset() override;

  const DatasetInfo& info() const override { return info_; }
  std::int64_t size() const override { return static_cast<std::int64_t>(split_->labels.size()); }
  std::int64_t label(std::int64_t index) const override {
    return split_->labels[static_cast<std::size_t>(index)];
  }
  /// The file's name below the root.
  std::string name(std::int64_t index) const override {
    return split_->images[static_cast<std::size_t>(index)].name;
  }
  /// The middle part. @throws Error when a file cannot be read, too many are damaged, or all of a
  /// class are.
  std::span<const std::uint8_t> pixels(std::int64_t index,
                                       std::vector<std::uint8_t>& scratch) const override;
  std::span<const std::uint8_t> drawn_pixels(std::int64_t index, RandomStream& random,
                                             std::vector<std::uint8_t>& scratch) const override;
  bool draws() const override { return view_.least_area < 1 || !view_.jitter.none(); }
  std::shared_ptr<const Dataset> decoded_to(std::int64_t height, std::int64_t width) const override;

 private:
  struct Cache;

  double aspect() const;
  Crop middle(std::int64_t height, std::int64_t width) const;
  std::span<const std::uint8_t> decode(std::int64_t index, const ChooseCrop& choose,
                                       std::vector<std::uint8_t>& scratch) const;
  void decode_file(std::int64_t index, const ChooseCrop& choose, const ImageShape& shape,
                   std::span<std::uint8_t> pixels) const;
  const PhotoCache& cache() const;
  std::unique_ptr<PhotoCache> open_cache() const;

  DatasetInfo info_;
  std::shared_ptr<const ImageIndex> index_;
  const ImageSplit* split_;
  PhotoView view_;
  std::shared_ptr<DamageCount> damage_;
  std::unique_ptr<Cache> cache_;
};

}  // namespace yoke

// yoke/data/transforms/transform.h: stored pixels to the input of a model.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"
#include "yoke/data/dataset.h"
#include "yoke/data/transforms/auto_augment.h"
#include "yoke/data/transforms/crop_and_flip.h"

namespace yoke {

/// uint8 [C, H, W] pixels to normalised fp32 [C, H, W], with random changes where asked for: crop,
/// flip and normalisation in one pass, or AutoAugment between the flip and the normalisation, and
/// random_erase() after it. Safe to use from several threads.
///
/// A pixel p of channel c becomes p * scale[c] + shift[c] in fp32, where
/// scale = 1 / (255 * deviation) and shift = -mean / deviation, both rounded once from double.
/// Pixels of the crop's padding have p = 0.
class Transform {
 public:
  /// How pixels of a channel become numbers.
  struct Normalisation {
    // Arithmetic rather than a table of 256 floats: compilers turn it into vector code.
    float operator()(std::uint8_t pixel) const { return static_cast<float>(pixel) * scale + shift; }

    float scale = 1;
    float shift = 0;
  };

  /// @throws UsageError when the crop is not in [0, min(H, W)], or what else is asked for is out of
  /// range or not for images of so many channels; Error when the data set does not give a mean and
  /// a positive deviation per channel.
  Transform(const DatasetInfo& info, const Augmentation& augmentation);

  /// Of what apply() writes.
  const ImageShape& output_shape() const { return shape_; }

  const Augmentation& augmentation() const { return augmentation_; }
  const std::vector<Normalisation>& channels() const { return channels_; }
  /// Whether it crops, flips and normalises, and nothing else.
  bool only_places() const { return auto_augment_.none() && augmentation_.random_erase == 0; }

  /// `random` is drawn from in this order: the crop's top, its left, the flip, the operations of
  /// AutoAugment, the erasing; each only where it is asked for. @throws Error when a span does not
  /// have C * H * W elements.
  void apply(std::span<const std::uint8_t> pixels, RandomStream& random,
             std::span<float> output) const;

 private:
  void normalise(const std::uint8_t* pixels, float* output) const;
  void normalise_placed(const std::uint8_t* pixels, const CropAndFlip& placement,
                        float* output) const;
  void normalise_augmented(const std::uint8_t* pixels, const CropAndFlip& placement,
                           RandomStream& random, float* output) const;

  ImageShape shape_;
  Augmentation augmentation_;
  AutoAugment auto_augment_;
  std::vector<Normalisation> channels_;
};

}  // namespace yoke

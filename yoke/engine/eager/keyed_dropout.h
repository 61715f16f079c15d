// yoke/engine/eager/keyed_dropout.h: dropout that is a function of an image's place in the step.
#pragma once
#include <cstdint>

#include "yoke/core/batch.h"
#include "yoke/engine/eager/dropout_masks.h"
#include "yoke/engine/engine.h"

namespace yoke {

/// While it lives, the dropouts that this thread runs on the images of a batch on the CPU drop what
/// compiled::draw_kept() says: a function of seed and step, of how many dropouts came before, of
/// the image's place among the step's images over all ranks, and of the unit's place in the image.
class KeyedDropout final : public DropoutMasks {
 public:
  /// `batch` is not empty.
  KeyedDropout(const StepKey& key, const Batch& batch);

  /// The first dimension counts images, or several rows of each; the mask of anything else is that
  /// of one image at the place 0.
  torch::Tensor draw(const torch::Tensor& input, Unit unit, double p) override;

 private:
  const std::uint64_t stream_;
  const std::int64_t first_image_, images_;
  std::uint32_t dropouts_ = 0;  // so far
};

}  // namespace yoke

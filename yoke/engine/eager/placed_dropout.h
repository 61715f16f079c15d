// yoke/engine/eager/placed_dropout.h: dropout of some images of a batch, as of all of it.
#pragma once
#include <cstdint>

#include "yoke/engine/eager/dropout_masks.h"

namespace yoke {

/// Images [begin, end) of a batch of `whole`.
struct BatchPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t whole = 0;

  std::int64_t size() const { return end - begin; }
};

/// While it lives, the dropouts that this thread runs on images of `part`, which is not empty, drop
/// what LibTorch would drop of them, were the whole batch run at once: each mask is drawn whole,
/// from the device's default generator, which the caller seeds alike for all parts, and the part is
/// taken.
class PlacedDropout final : public DropoutMasks {
 public:
  explicit PlacedDropout(const BatchPart& part) : part_(part) {}

  /// The first dimension counts images, or several rows of each; masks of anything else are drawn
  /// as they are, alike for all parts.
  torch::Tensor draw(const torch::Tensor& input, Unit unit, double p) override;

 private:
  const BatchPart part_;
};

}  // namespace yoke

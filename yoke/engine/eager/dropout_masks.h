// yoke/engine/eager/dropout_masks.h: where the dropouts of an eager step take their masks from.
#pragma once
#include <torch/types.h>

namespace yoke {

/// While it lives, the dropouts of all kinds that this thread runs in training drop what draw()
/// says and not what LibTorch would draw. The innermost one counts.
class DropoutMasks {
 public:
  DropoutMasks();
  virtual ~DropoutMasks();
  DropoutMasks(const DropoutMasks&) = delete;
  DropoutMasks& operator=(const DropoutMasks&) = delete;

  /// What is dropped or kept as one: an element, or a channel of an image.
  enum class Unit { kElement, kChannel };

  /// Which units of `input`, which is not empty, to keep: 1 with probability 1 - `p`, in (0, 1),
  /// else 0, of its type, in a shape that broadcasts.
  virtual torch::Tensor draw(const torch::Tensor& input, Unit unit, double p) = 0;

 protected:
  /// The sizes of such a mask. @throws Error where `input` has no channels.
  static std::vector<std::int64_t> mask_shape(const torch::Tensor& input, Unit unit);

 private:
  DropoutMasks* const before_;
};

}  // namespace yoke

// yoke/train/evaluation/accuracy.h: how many images of a batch are classified rightly.
#pragma once
#include <torch/types.h>

namespace yoke {

/// For each image, how many classes score higher than the right one, int64 [N]: 0 is right, below 5
/// is among the five best. Of equal scores the lower class counts as the higher score; a score that
/// is not a number makes the image wrong. `scores` is fp32 [N, classes], `target` int64 [N].
torch::Tensor ranks_of_target(const torch::Tensor& scores, const torch::Tensor& target);

}  // namespace yoke

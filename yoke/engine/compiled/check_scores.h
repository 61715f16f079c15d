// yoke/engine/compiled/check_scores.h: that the compiled model computes what the model does.
#pragma once
#include <torch/types.h>

#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke::compiled {

/// Images to compare by, fp32 [2, C, H, W] of `shape`: waves between -1 and 1, alike on all ranks.
torch::Tensor images_to_compare(const ImageShape& shape);

/// Compares `scores`, fp32 [N, classes], with those that `model` gives to `images` in evaluation
/// mode, and leaves the model as it was. @throws UnsupportedModel where they differ by more than
/// rounding in `precision` does.
void check_scores(const Model& model, const torch::Tensor& images, const torch::Tensor& scores,
                  Precision precision);

}  // namespace yoke::compiled

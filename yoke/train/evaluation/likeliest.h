// yoke/train/evaluation/likeliest.h: what a model takes images for, and how sure it is of that.
#pragma once
#include <torch/types.h>

namespace yoke {

/// Of each image of a batch the likeliest class and its probability, in memory of the CPU.
struct Likeliest {
  torch::Tensor classes;      ///< int64 [N].
  torch::Tensor probability;  ///< fp32 [N], in [0, 1]; NaN where a score is no number.
};

/// By softmax of `scores` [N, classes] in fp32.
Likeliest likeliest_classes(const torch::Tensor& scores);

}  // namespace yoke

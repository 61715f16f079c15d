// yoke/optim/optimizers/layer_norms.h: what optimizers with a rate for each layer share.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/optim/optimizer.h"

namespace yoke {

/// Euclidean norms of one parameter's place in two vectors.
struct LayerNorms {
  double first = 0;
  double second = 0;
};

/// The norms of every slice of `shard` in two vectors, fp32 [P] like its parameters, over all
/// parts; summed once, by a tensor of two numbers a slice.
std::vector<LayerNorms> layer_norms(const Shard& shard, const torch::Tensor& first,
                                    const torch::Tensor& second);

/// Whether a parameter gets a rate of its own, and may get weight decay: biases and the scales of
/// norms, which have one dimension, do not.
bool has_layer_rate(const ParameterSlice& slice);

}  // namespace yoke

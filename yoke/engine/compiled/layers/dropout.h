// yoke/engine/compiled/layers/dropout.h: stochastic depth by a tensor of noise, as Python's
// torchvision and timm write it.
#pragma once
#include <unordered_map>

namespace torch::jit {
struct Value;
}

namespace yoke::compiled {

class Lowering;

/// A traced tensor of one number for each image, drawn anew in each step: 1 with probability
/// `keep`, else 0.
struct ImageNoise {
  double keep = 1;
  bool divided = false;  ///< By `keep`, so that its mean is 1.
};

/// By the traced tensors that they are.
using ImageNoises = std::unordered_map<const torch::jit::Value*, ImageNoise>;

/// Lowers the node at which `lowering` is where it makes noise or multiplies by it; false where it
/// does not.
bool lower_image_noise(Lowering& lowering);

}  // namespace yoke::compiled

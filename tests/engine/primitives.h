// tests/engine/primitives.h: runs what yoke::onednn describes on LibTorch's tensors, to compare it
// with plain loops.
#pragma once
#include <torch/types.h>

#include <string>
#include <unordered_map>

#include "yoke/engine/compiled/onednn.h"

namespace yoke::test {

using Arguments = std::unordered_map<int, dnnl::memory>;

/// Noise of `sizes` that bf16 holds exactly, in fp64; follows LibTorch's seed.
torch::Tensor bf16_noise(const std::vector<std::int64_t>& sizes);

/// An engine and a stream of oneDNN's.
class Primitives {
 public:
  const dnnl::engine& engine() const { return engine_; }

  /// `values` as `wanted` describes, of the same sizes.
  dnnl::memory holding(const torch::Tensor& values, const dnnl::memory::desc& wanted);

  /// What `primitive` writes into its argument `result`, as `written` describes it, in fp64; large
  /// numbers where it writes nothing.
  torch::Tensor run(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                    Arguments arguments, int result, const dnnl::memory::desc& written);

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

/// Whether they are equal within the rounding of a bf16 result, and of fp32 sums of `magnitude`.
bool is_near(const torch::Tensor& actual, const torch::Tensor& expected,
             const torch::Tensor& magnitude);

}  // namespace yoke::test

// yoke/engine/eager/arithmetic.h: the numbers that the eager engine computes with.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke {

/// Runs a model, whose parameters are those of a FlatParameters, in some format of numbers.
class Arithmetic {
 public:
  virtual ~Arithmetic() = default;

  /// What forward() runs: its modes, and its parameters in the order of the flat ones.
  virtual torch::nn::Module& module() = 0;

  /// Before forward(): takes the flat parameters as they are, and has no gradients of its own.
  virtual void load() {}

  /// Scores for `input`, fp32 [N, C, H, W] on the model's device, of any floating type.
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;

  /// After the backward pass, or what of it makes elements [begin, end) of the flat gradients: puts
  /// them there.
  virtual void store([[maybe_unused]] std::int64_t begin, [[maybe_unused]] std::int64_t end) {}

  /// `fp32`, `o1 (autocast to fp16)`.
  virtual std::string describe() const = 0;
};

/// `model` as it is for fp32; by autocast for bf16 and o1; a copy of it, made by `another`, for o2.
/// On GPUs, where `another` is given, fp32, bf16 and o1 run a copy with weights in channels_last.
/// `model` and `parameters` must outlive it. @throws UsageError as make_eager_engine() does.
std::unique_ptr<Arithmetic> make_arithmetic(Precision precision, Model& model,
                                            FlatParameters& parameters,
                                            const std::function<Model()>& another);

}  // namespace yoke

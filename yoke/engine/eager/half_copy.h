// yoke/engine/eager/half_copy.h: a copy of the model in fp16, beside fp32 parameters.
#pragma once
#include <functional>
#include <memory>

#include "yoke/engine/eager/arithmetic.h"

namespace yoke {

/// Runs a copy of `model` with `parameters` rounded to fp16, and its input likewise, but for those
/// of batch norms, which compute with the fp32 ones themselves (Micikevicius et al. 2018, "Mixed
/// Precision Training", section 3.1: "FP32 master copy of weights"). Buffers are those of `model`.
/// Processors have no fp16 convolutions: there it computes in fp32 on numbers rounded to fp16,
/// namely parameters, input, scores and their gradients, which overflow as they do on a GPU.
/// @throws UsageError where `another` is missing or makes something else.
std::unique_ptr<Arithmetic> make_half_copy(Model& model, FlatParameters& parameters,
                                           const std::function<Model()>& another);

}  // namespace yoke

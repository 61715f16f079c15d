// yoke/engine/eager/channels_last.h: a copy of the model whose convolutions find their weights in
// the order that GPUs multiply by.
#pragma once
#include <functional>
#include <memory>

#include "yoke/engine/eager/arithmetic.h"

namespace yoke {

/// Whether a convolution in `model` has weights whose order matters.
bool has_convolutions(const Model& model);

/// What `numbers` makes of a copy of `model`, in which the weights of convolutions are of `type`
/// and in the memory format channels_last; all other parameters, and buffers, are those of `model`.
/// So each weight is cast and put in order once a step, and its gradient likewise, where autocast
/// casts it and cuDNN then orders it for the forward pass and for both products of the backward
/// pass.
/// @throws UsageError where `another` makes something else.
std::unique_ptr<Arithmetic> make_channels_last(
    Model& model, FlatParameters& parameters, const std::function<Model()>& another,
    torch::ScalarType type, const std::function<std::unique_ptr<Arithmetic>(Model&)>& numbers);

}  // namespace yoke

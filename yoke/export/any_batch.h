// yoke/export/any_batch.h: a trace of some images made one of any number of them.
#pragma once
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>

namespace yoke {

/// A trace holds the number of its images wherever the model asked for it, as in
/// `x.view({x.size(0), -1})`. Changes `few`, traced with `few_images`, where it differs from
/// `more`, the trace of the same model with `more_images`: numbers that grow with the images are
/// computed from the input, and sizes that do are unknown in the types of values.
/// @throws Error that names the operator where the traces differ in any other way.
void allow_any_batch(torch::jit::Graph& few, const torch::jit::Graph& more, std::int64_t few_images,
                     std::int64_t more_images);

}  // namespace yoke

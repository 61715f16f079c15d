// yoke/train/checkpoints/weights.h: a model that begins with the weights of a file.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "yoke/core/named_tensors.h"
#include "yoke/train/checkpoints/other_head.h"
#include "yoke/train/checkpoints/weights_choice.h"

namespace torch::nn {
class Module;
}

namespace yoke {

/// The tensors of `file`, a safetensors file or a `.pt` (see read_pt()); which, its content says.
/// @throws UsageError when there is no such file; Error when it is neither, or damaged.
NamedTensors read_weights(const std::filesystem::path& file);

/// Copies the tensors of the file into the parameters and buffers of the same names of `module`, in
/// place. Shapes must be equal; numbers are converted, but integers to integers only. What
/// wrappers put before all names (see strip_wrapper_names()) is no part of them.
/// `num_batches_tracked` of a batch norm, and what is skipped, may be absent and is then left
/// alone.
/// @throws UsageError that lists what differs, before anything is copied.
void load_weights(torch::nn::Module& module, const WeightsChoice& choice);

/// The same for a training on `classes` classes: the layer that makes their scores keeps its
/// initial values where the file has it for another number of classes; returns it then.
/// @throws UsageError where anything else differs.
std::optional<OtherHead> begin_with_weights(torch::nn::Module& module, const WeightsChoice& choice,
                                            std::int64_t classes);

}  // namespace yoke

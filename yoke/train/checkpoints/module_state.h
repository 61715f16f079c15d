// yoke/train/checkpoints/module_state.h: a module's parameters and buffers by name.
#pragma once
#include <string>

#include "yoke/core/named_tensors.h"

namespace torch::nn {
class Module;
}

namespace yoke {

/// The parameters, then the buffers of `module`, detached; they share its memory.
NamedTensors module_state(const torch::nn::Module& module);

/// Copies of `tensors` in the host's memory, which nothing else changes; those that nobody else
/// holds, as they are.
NamedTensors snapshot(NamedTensors tensors);

/// Copies into each of `tensors` in place the one of `state` of the same name, which is there and
/// of the same shape; numbers of another dtype are converted.
void copy_tensors(const NamedTensors& tensors, const NamedTensors& state);

/// Copies `state` into `tensors` in place.
/// @throws UsageError that says what differs, before anything is copied, unless names, shapes and
/// dtypes are equal; `where` names the source in the message.
void restore_tensors(const NamedTensors& tensors, const NamedTensors& state,
                     const std::string& where);

/// Copies `state` into the parameters and buffers of `module` in place, likewise.
void restore_module(torch::nn::Module& module, const NamedTensors& state, const std::string& where);

}  // namespace yoke

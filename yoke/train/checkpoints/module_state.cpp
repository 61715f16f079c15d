#include "yoke/train/checkpoints/module_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/nn/module.h>

#include <map>

#include "yoke/core/error.h"
#include "yoke/train/checkpoints/tensor_differences.h"

namespace yoke {
namespace {

std::string describe(const torch::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes().vec(), ", "));
}

/// Whether `tensor` is all there is of its memory, which is the host's and LibTorch's own.
bool is_held_alone(const torch::Tensor& tensor) {
  return tensor.is_cpu() && tensor.is_contiguous() && tensor.use_count() == 1 &&
         tensor.storage().use_count() == 1 && tensor.storage().resizable();
}

}  // namespace

NamedTensors module_state(const torch::nn::Module& module) {
  NamedTensors state;
  for (const auto& item : module.named_parameters()) {
    state.emplace_back(item.key(), item.value().detach());
  }
  for (const auto& item : module.named_buffers()) {
    state.emplace_back(item.key(), item.value().detach());
  }
  return state;
}

NamedTensors snapshot(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) {
    if (is_held_alone(tensor)) continue;
    const auto options = tensor.options().device(torch::kCPU);
    tensor = torch::empty(tensor.sizes(), options, torch::MemoryFormat::Contiguous)
                 .copy_(tensor.detach());
  }
  return tensors;
}

void copy_tensors(const NamedTensors& tensors, const NamedTensors& state) {
  const std::map<std::string, torch::Tensor> given(state.begin(), state.end());
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) torch::Tensor(tensor).copy_(given.at(name));
}

void restore_tensors(const NamedTensors& tensors, const NamedTensors& state,
                     const std::string& where) {
  const TensorDifferences problems(tensors, state, describe);
  if (!problems.empty()) {
    throw UsageError(
        fmt::format("{} is of another model:{}\n  give the model and data it was "
                    "trained with, as in config.toml of its run",
                    where, problems.text()));
  }
  copy_tensors(tensors, state);
}

void restore_module(torch::nn::Module& module, const NamedTensors& state,
                    const std::string& where) {
  restore_tensors(module_state(module), state, where);
}

}  // namespace yoke

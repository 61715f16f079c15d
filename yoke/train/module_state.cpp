#include "yoke/train/module_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <map>
#include <vector>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr std::size_t kMostListed = 8;

std::string describe(const torch::Tensor& tensor) {
  return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                     fmt::join(tensor.sizes().vec(), ", "));
}

/// `; heading: a, b and 3 more`, or nothing where there are no items.
std::string list_items(const char* heading, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  const auto shown = std::min(items.size(), kMostListed);
  auto text = fmt::format("\n  {}: {}", heading,
                          fmt::join(items.begin(), items.begin() + static_cast<long>(shown), ", "));
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

std::string differences(const NamedTensors& model,
                        const std::map<std::string, torch::Tensor>& given) {
  std::vector<std::string> missing;
  std::vector<std::string> different;
  std::vector<std::string> unexpected;
  auto rest = given;
  for (const auto& [name, tensor] : model) {
    const auto found = rest.find(name);
    if (found == rest.end()) {
      missing.push_back(name);
      continue;
    }
    if (describe(tensor) != describe(found->second)) {
      different.push_back(fmt::format("{} is {}, the model wants {}", name, describe(found->second),
                                      describe(tensor)));
    }
    rest.erase(found);
  }
  for (const auto& [name, tensor] : rest) unexpected.push_back(name);
  return list_items("missing", missing) + list_items("unexpected", unexpected) +
         list_items("different", different);
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

void restore_tensors(const NamedTensors& tensors, const NamedTensors& state,
                     const std::string& where) {
  const std::map<std::string, torch::Tensor> given(state.begin(), state.end());
  const auto problems = differences(tensors, given);
  if (!problems.empty()) {
    throw UsageError(
        fmt::format("{} is of another model:{}\n  give the model and data it was "
                    "trained with, as in config.toml of its run",
                    where, problems));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) torch::Tensor(tensor).copy_(given.at(name));
}

void restore_module(torch::nn::Module& module, const NamedTensors& state,
                    const std::string& where) {
  restore_tensors(module_state(module), state, where);
}

}  // namespace yoke

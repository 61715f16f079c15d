#include "yoke/models/module_parts.h"

#include <fmt/format.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <string>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

constexpr std::string_view kAllBut = "all-but=";
constexpr std::string_view kBackbone = "backbone";

/// Of the module that `name`, a parameter, is of; of a parameter of the network itself, its own.
std::string module_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

std::vector<std::string> names_of(const torch::nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& item : module.named_parameters()) names.push_back(item.key());
  return names;
}

/// Of the outermost modules: a few, where those of all layers may be hundreds.
std::vector<std::string> outer_names(const std::vector<std::string>& parameters) {
  std::vector<std::string> names = {std::string(kBackbone)};
  for (const auto& name : parameters) {
    const auto outer = name.substr(0, name.find('.'));
    if (names.back() != outer) names.push_back(outer);
  }
  return names;
}

/// Every name that may be given.
std::vector<std::string> part_names(const std::vector<std::string>& parameters) {
  std::vector<std::string> names = parameters;
  names.emplace_back(kBackbone);
  for (auto name : parameters) {
    while (name.rfind('.') != std::string::npos) {
      names.push_back(name = module_of(name));
    }
  }
  return names;
}

[[noreturn]] void refuse_name(std::string_view name, std::string_view text, std::string_view flag,
                              const std::vector<std::string>& parameters) {
  const auto near = nearest_name(name, part_names(parameters));
  throw UsageError(fmt::format("--{} {}: the model has no module '{}'; {}", flag, text, name,
                               near.empty() ? suggest(name, outer_names(parameters))
                                            : fmt::format("did you mean '{}'?", near)));
}

/// Also of TorchScript, which has no classes of LibTorch's.
bool is_batch_norm(const torch::nn::Module& module) {
  return module.named_buffers(/*recurse=*/false).contains("running_mean");
}

bool is_frozen(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  return !parameters.empty() &&
         std::none_of(parameters.begin(), parameters.end(),
                      [](const auto& parameter) { return parameter.requires_grad(); });
}

}  // namespace

bool lies_in(std::string_view name, std::string_view part) {
  return name.starts_with(part) && (name.size() == part.size() || name[part.size()] == '.');
}

std::vector<bool> parameters_of(const torch::nn::Module& module, std::string_view text,
                                std::string_view flag) {
  const auto names = names_of(module);
  std::vector<bool> meant(names.size(), false);
  if (text == kBackbone && !names.empty()) {
    const auto head = module_of(names.back());
    for (std::size_t i = 0; i < names.size(); ++i) meant[i] = !lies_in(names[i], head);
    return meant;
  }
  const bool others = text.starts_with(kAllBut);
  for (const auto part : split(others ? text.substr(kAllBut.size()) : text, '+')) {
    bool found = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!lies_in(names[i], part)) continue;
      meant[i] = found = true;
    }
    if (!found) refuse_name(part, text, flag, names);
  }
  if (others) meant.flip();
  return meant;
}

void freeze(torch::nn::Module& module, std::string_view text) {
  const auto meant = parameters_of(module, text, "freeze");
  auto parameters = module.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (meant[i]) parameters[i].set_requires_grad(false);
  }
  if (is_frozen(module)) {
    throw UsageError(fmt::format(
        "--freeze {}: nothing is left that learns; leave a module out, e.g. --freeze {}", text,
        kBackbone));
  }
  set_training(module, module.is_training());
}

void set_training(torch::nn::Module& module, bool training) {
  module.train(training);
  if (!training) return;
  for (const auto& part : module.modules(/*include_self=*/false)) {
    if (is_batch_norm(*part) && is_frozen(*part)) part->eval();
  }
}

}  // namespace yoke

#include "yoke/engine/eager/model_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke {
namespace {

void check_copy(const torch::nn::Module& copy, const torch::nn::Module& model,
                const CopyReason& reason) {
  const auto named = [](const torch::nn::Module& module) {
    auto tensors = module.named_parameters().pairs();
    for (const auto& item : module.named_buffers().pairs()) tensors.push_back(item);
    return tensors;
  };
  const auto tensors = named(copy), expected = named(model);
  const bool same = std::equal(tensors.begin(), tensors.end(), expected.begin(), expected.end(),
                               [](const auto& a, const auto& b) {
                                 return a.first == b.first && a.second.sizes() == b.second.sizes();
                               });
  if (!same) {
    throw UsageError(fmt::format(
        "{} copies of the model, but the function that makes it gave other parameters or buffers "
        "than before; let it make the same model each time, or give {}",
        reason.wanted_by, reason.instead));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].second.is_same(expected[i].second)) continue;
    throw UsageError(
        fmt::format("{} copies of the model, but the function that makes it gave '{}' that is in "
                    "use already; let it make a new module each time, or give {}",
                    reason.wanted_by, tensors[i].first, reason.instead));
  }
}

}  // namespace

Model copy_model(const std::function<Model()>& another, const Model& model, torch::Device device,
                 const CopyReason& reason) {
  if (!another) {
    throw UsageError(fmt::format(
        "{} copies of the model; set EngineOptions::another to a function that makes it, or give "
        "{}",
        reason.wanted_by, reason.instead));
  }
  Model copy = another();
  check_copy(*copy.module, *model.module, reason);
  copy.module->to(device);
  const auto from = model.module->parameters();
  auto to = copy.module->parameters();
  for (std::size_t i = 0; i < to.size(); ++i) to[i].set_requires_grad(from[i].requires_grad());
  return copy;
}

void share_buffers(torch::nn::Module& copy, const torch::nn::Module& module) {
  const auto buffers = module.buffers();
  auto copies = copy.buffers();
  for (std::size_t i = 0; i < copies.size(); ++i) copies[i].set_data(buffers[i]);
}

}  // namespace yoke

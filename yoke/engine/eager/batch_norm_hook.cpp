#include "yoke/engine/eager/batch_norm_hook.h"

#include <ATen/ops/batch_norm_native.h>
#include <torch/library.h>

namespace yoke {
namespace {

using torch::Tensor;

thread_local const BatchNormHook::Normalise* active_normalise = nullptr;

Tensor batch_norm(const Tensor& input, const c10::optional<Tensor>& weight,
                  const c10::optional<Tensor>& bias, const c10::optional<Tensor>& running_mean,
                  const c10::optional<Tensor>& running_variance, bool training, double momentum,
                  double epsilon, bool cudnn) {
  if (active_normalise == nullptr || !training) {
    return at::native::batch_norm(input, weight, bias, running_mean, running_variance, training,
                                  momentum, epsilon, cudnn);
  }
  return (*active_normalise)({.input = input,
                              .weight = weight.value_or(Tensor()),
                              .bias = bias.value_or(Tensor()),
                              .running_mean = running_mean.value_or(Tensor()),
                              .running_variance = running_variance.value_or(Tensor()),
                              .momentum = momentum,
                              .epsilon = epsilon,
                              .cudnn = cudnn});
}

/// Puts batch_norm() before LibTorch's own, for the rest of the process; done once, when first
/// wanted. Modules of LibTorch have no virtual forward() to take another's place in.
void register_hook_once() {
  static const std::vector<torch::Library> libraries_of_process = [] {
    std::vector<torch::Library> libraries;
    for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA}) {
      libraries.emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__);
      libraries.back().impl("batch_norm", TORCH_FN(batch_norm));
    }
    return libraries;
  }();
  static_cast<void>(libraries_of_process);
}

}  // namespace

Tensor plain_batch_norm(const BatchNormCall& call) {
  return at::native::batch_norm(call.input, call.weight, call.bias, call.running_mean,
                                call.running_variance, /*training=*/true, call.momentum,
                                call.epsilon, call.cudnn);
}

BatchNormHook::BatchNormHook(Normalise normalise)
    : normalise_(std::move(normalise)), before_(active_normalise) {
  register_hook_once();
  active_normalise = &normalise_;
}

BatchNormHook::~BatchNormHook() { active_normalise = before_; }

}  // namespace yoke

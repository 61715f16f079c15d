// yoke/engine/eager/gradient_hooks.h: tells when autograd has made a parameter's gradient.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <memory>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/engine.h"

namespace yoke {

/// Hooks on the nodes of autograd that accumulate gradients; they do nothing outside of during().
class GradientHooks {
 public:
  /// `parameters` are those of `module`.
  GradientHooks(torch::nn::Module& module, const FlatParameters& parameters);
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

  /// Runs `backward`, telling `ready` of each parameter as it is done, at last of those that took
  /// no part or were frozen.
  void during(const GradientReady& ready, const std::function<void()>& backward);

 private:
  class Hook;
  void done(std::size_t parameter);

  const FlatParameters& parameters_;
  std::vector<std::shared_ptr<void>> accumulators_;  // alive, or autograd would make new ones
  const GradientReady* ready_ = nullptr;             // null outside of during()
  std::vector<bool> told_;                           // by parameter
};

}  // namespace yoke

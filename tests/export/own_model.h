// tests/export/own_model.h: modules that are no plug-ins, as users write them.
#pragma once
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <functional>
#include <utility>

#include "yoke/models/model.h"

namespace yoke::test {

using Forward = std::function<torch::Tensor(torch::nn::Linear, torch::Tensor)>;

/// A module with one layer `fc`, of 12 features to 4 classes, and where given a parameter `large`,
/// which is used.
struct OwnImpl final : torch::nn::Module {
  OwnImpl(Forward forward, torch::Tensor large)
      : forward_(std::move(forward)), large_(std::move(large)) {
    register_module("fc", fc_);
    if (large_.defined()) register_parameter("large", large_, /*requires_grad=*/false);
  }
  torch::Tensor forward(torch::Tensor x) {
    const auto scores = forward_(fc_, std::move(x));
    return large_.defined() ? scores + large_.slice(0, 0, 1) : scores;
  }

 private:
  Forward forward_;
  torch::Tensor large_;
  torch::nn::Linear fc_{12, 4};
};
TORCH_MODULE(Own);

inline Model own_model(Forward forward, const ImageShape& input, const torch::Tensor& large = {}) {
  torch::manual_seed(1);
  return wrap_module(Own(std::move(forward), large), input);
}

}  // namespace yoke::test

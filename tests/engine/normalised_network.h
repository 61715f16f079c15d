// tests/engine/normalised_network.h: a small network that has all that 16 bits treat by itself.
#pragma once
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/trained.h"

namespace yoke::test {

/// Two convolutions, of which the first is normalised, and a linear layer.
inline Model normalised_network() {
  return model_of({2, 9, 9}, [](torch::nn::Module& module) {
    using torch::nn::Conv2d, torch::nn::Conv2dOptions;
    auto conv1 = module.register_module("conv1", Conv2d(Conv2dOptions(2, 6, 3)));
    auto norm = module.register_module("norm", torch::nn::BatchNorm2d(6));
    auto conv2 = module.register_module("conv2", Conv2d(Conv2dOptions(6, 8, 3)));
    auto last = module.register_module("last", torch::nn::Linear(8 * 25, 10));
    return [conv1, norm, conv2, last](torch::Tensor x) mutable {
      x = torch::relu(norm->forward(conv1->forward(x)));
      return last->forward(torch::relu(conv2->forward(x)).flatten(1));
    };
  });
}

}  // namespace yoke::test

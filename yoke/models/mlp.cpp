// yoke/models/mlp.cpp: a multi-layer perceptron.
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include "yoke/models/model.h"

namespace yoke {
namespace {

struct MlpImpl final : torch::nn::Module {
  MlpImpl(const ModelInput& input, std::int64_t hidden, std::int64_t layers) {
    std::int64_t width = input.image.elements();
    for (std::int64_t i = 0; i < layers; ++i) {
      hidden_->push_back(torch::nn::Linear(width, hidden));
      width = hidden;
    }
    register_module("hidden", hidden_);
    output_ = register_module("output", torch::nn::Linear(width, input.classes));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x.flatten(1);
    for (const auto& layer : *hidden_) x = torch::relu(layer->as<torch::nn::Linear>()->forward(x));
    return output_->forward(x);
  }

 private:
  torch::nn::ModuleList hidden_;
  torch::nn::Linear output_{nullptr};
};
TORCH_MODULE(Mlp);

}  // namespace

Model make_mlp(const ModelInput& input, Options& options) {
  const auto hidden = options.get("hidden", std::int64_t{256}, 1);      // units of a hidden layer
  const auto layers = options.get("layers", std::int64_t{2}, 0, 1000);  // hidden layers
  return wrap_module(Mlp(input, hidden, layers), input.image);
}

}  // namespace yoke

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

struct MlpOptions {
  std::int64_t hidden = 256;
  std::int64_t layers = 2;
};

}  // namespace

ModelPlugin mlp_model() {
  const OptionTable<MlpOptions> options = {
      {"hidden", &MlpOptions::hidden, at_least(1), "units of a hidden layer"},
      {"layers", &MlpOptions::layers, in(0, 1000), "hidden layers"}};
  return {options,
          [](const ModelInput& input, const MlpOptions& chosen) {
            return wrap_module(Mlp(input, chosen.hidden, chosen.layers), input.image);
          },
          ModelTraits{.usual_image = {1, 28, 28}}};
}

}  // namespace yoke

#include "yoke/engine/eager/channels_last.h"

#include <torch/nn/modules/conv.h>

#include <algorithm>

#include "yoke/engine/eager/copied_parameters.h"
#include "yoke/engine/eager/model_copy.h"

namespace yoke {
namespace {

using torch::Tensor;

bool is_convolution(const torch::nn::Module& module) {
  return module.as<torch::nn::Conv2d>() != nullptr;
}

/// By the order of parameters: the weights of convolutions, without their biases.
std::vector<bool> weights_of_convolutions(const torch::nn::Module& module) {
  auto which = parameters_in(module, is_convolution);
  const auto parameters = module.parameters();
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = which[i] && parameters[i].dim() == 4;
  return which;
}

class ChannelsLast final : public Arithmetic {
 public:
  ChannelsLast(Model& model, FlatParameters& masters, const std::function<Model()>& another,
               torch::ScalarType type,
               const std::function<std::unique_ptr<Arithmetic>(Model&)>& numbers)
      : copy_(copy_model(another, model, masters.values().device(),
                         {.wanted_by = "a GPU needs", .instead = "no such function"})),
        weights_(*copy_.module, masters, weights_of_convolutions(*copy_.module),
                 {.type = type, .rounded_to = type, .order = torch::MemoryFormat::ChannelsLast}),
        numbers_(numbers(copy_)) {
    share_buffers(*copy_.module, *model.module);
  }

  torch::nn::Module& module() override { return numbers_->module(); }
  void load() override { weights_.load(); }
  Tensor forward(const Tensor& input) override { return numbers_->forward(input); }
  void store(std::int64_t begin, std::int64_t end) override { weights_.store(begin, end); }
  std::string describe() const override { return numbers_->describe(); }

 private:
  Model copy_;
  CopiedParameters weights_;
  const std::unique_ptr<Arithmetic> numbers_;  // on the copy
};

}  // namespace

bool has_convolutions(const Model& model) {
  const auto which = weights_of_convolutions(*model.module);
  return std::find(which.begin(), which.end(), true) != which.end();
}

std::unique_ptr<Arithmetic> make_channels_last(
    Model& model, FlatParameters& parameters, const std::function<Model()>& another,
    torch::ScalarType type, const std::function<std::unique_ptr<Arithmetic>(Model&)>& numbers) {
  return std::make_unique<ChannelsLast>(model, parameters, another, type, numbers);
}

}  // namespace yoke

#include "tests/export/scored_model.h"

#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/utils.h>

#include "yoke/core/files/file.h"

namespace yoke::test {

Model trained_model(const std::string& name, const ImageShape& image) {
  Model model = make_model(name, {image, kClasses}, /*seed=*/3);
  const torch::NoGradGuard no_grad;
  // Noise in all that norms, and scales of layers, begin with alike; little enough that scores keep
  // their size.
  for (const auto& item : model.module->named_parameters()) {
    if (item.value().dim() % 2 == 1) item.value().add_(torch::randn_like(item.value()), 0.1);
  }
  for (const auto& module : model.module->modules()) {
    if (auto* norm = module->as<torch::nn::BatchNorm2d>()) norm->options.momentum(1.0);
  }
  model.module->train();
  model.forward(noise_images(model, 16));
  model.module->eval();
  return model;
}

torch::Tensor noise_images(const Model& model, std::int64_t count) {
  const auto& [channels, height, width] = model.input;
  return torch::randn({count, channels, height, width});
}

torch::Tensor scores_of(const Model& model, const torch::Tensor& images) {
  const torch::NoGradGuard no_grad;
  model.module->eval();
  return model.forward(images);
}

torch::Tensor scores_of(torch::jit::Module& script, const torch::Tensor& images) {
  const torch::jit::GraphOptimizerEnabledGuard as_it_stands(false);
  return script.forward({images}).toTensor();
}

void write_numbers(const std::filesystem::path& path, const torch::Tensor& tensor) {
  const auto numbers = tensor.contiguous();
  write_file(path, {static_cast<const char*>(numbers.data_ptr()), numbers.nbytes()});
}

double greatest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return a.sizes() == b.sizes() ? (a - b).abs().max().item<double>() : 1e30;
}

}  // namespace yoke::test

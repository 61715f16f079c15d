#include "yoke/engine/compiled/reference.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/autograd.h>

namespace yoke::compiled {

torch::Tensor Reference::scores(const TracedGraph& graph, const Noise& noise) const {
  const torch::NoGradGuard no_grad;
  return run(graph, parameters(noise)).to(torch::kFloat32);
}

std::vector<torch::Tensor> Reference::gradients(const TracedGraph& graph,
                                                const LossOptions& options,
                                                const Noise& noise) const {
  const torch::AutoGradMode with_gradient(true);
  std::vector<torch::Tensor> values = parameters(noise);
  for (torch::Tensor& value : values) value.requires_grad_(true);
  const torch::Tensor loss = mean_loss(run(graph, values), batch_, options);
  return torch::autograd::grad({loss}, values, {}, c10::nullopt, false, /*allow_unused=*/true);
}

std::vector<torch::Tensor> Reference::parameters(const Noise& noise) const {
  const torch::NoGradGuard no_grad;
  auto generator = at::make_generator<at::CPUGeneratorImpl>(noise.seed);
  const torch::Tensor flat = parameters_.values();
  std::vector<torch::Tensor> values;
  for (const auto& slice : parameters_.slices()) {
    torch::Tensor value = flat.slice(0, slice.offset, slice.offset + slice.elements).clone();
    if (noise.size > 0) value.mul_(torch::randn(value.sizes(), generator).mul_(noise.size).add_(1));
    values.push_back(value.view(slice.shape));
  }
  return values;
}

torch::Tensor Reference::run(const TracedGraph& graph,
                             const std::vector<torch::Tensor>& parameters) const {
  std::vector<torch::Tensor> inputs = {batch_.input};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  for (const torch::Tensor& buffer : model_.module->buffers()) inputs.push_back(buffer.clone());
  return run_graph(graph, inputs);
}

}  // namespace yoke::compiled

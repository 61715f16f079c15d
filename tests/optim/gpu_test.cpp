// tests/optim/gpu_test.cpp: every optimizer steps on a GPU as on a processor.
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "tests/support/gpus.h"
#include "yoke/optim/optimizer.h"

namespace yoke {
namespace {

using torch::Tensor;

/// Four matrices, three of them of one shape, and two vectors.
struct Layers : torch::nn::Module {
  explicit Layers(torch::Device device) {
    torch::manual_seed(7);
    const auto add = [&](const std::string& name, std::vector<std::int64_t> shape) {
      register_parameter(name, torch::randn(shape).to(device));
    };
    add("a", {8, 3, 3, 3});
    add("a_bias", {8});
    add("b", {6, 11});
    add("c", {8, 27});
    add("scale", {13});
    add("d", {8, 27});
  }
};

/// The parameters after some steps towards a point, along a slope that differs by direction.
Tensor moved_on(torch::Device device, const std::string& text) {
  Layers layers(device);
  FlatParameters parameters(layers);
  torch::manual_seed(8);
  const Tensor target = torch::randn({parameters.size()}).to(device);
  const Tensor slope = torch::rand({parameters.size()}).add(0.5).to(device);
  const auto optimizer = make_optimizer(text, parameters);
  for (int i = 0; i < 5; ++i) {
    optimizer->step(
        [&] {
          const Tensor way = parameters.values() - target;
          parameters.gradients().copy_(slope * way);
          return (slope * way * way).sum() / 2;
        },
        {.lr = 0.01});
  }
  return parameters.values().cpu();
}

class OnAGpu : public testing::TestWithParam<std::string> {};

TEST_P(OnAGpu, StepsAsOnAProcessor) {
  YOKE_NEEDS_GPUS(1);
  const Tensor here = moved_on(torch::kCPU, GetParam()), there = moved_on(torch::kCUDA, GetParam());
  EXPECT_TRUE(here.allclose(there, 1e-4, 1e-5)) << (here - there).abs().max();
}

INSTANTIATE_TEST_SUITE_P(Optimizers, OnAGpu, testing::ValuesIn(optimizers().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace yoke

#include "yoke/engine/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/utils.h>

#include "yoke/core/error.h"
#include "yoke/core/flat_parameters.h"

namespace yoke {
namespace {

std::vector<torch::jit::Node*> nodes_of(torch::jit::Graph& graph, const char* kind) {
  std::vector<torch::jit::Node*> nodes;
  for (auto* node : graph.nodes()) {
    if (node->kind() == c10::Symbol::fromQualString(kind)) nodes.push_back(node);
  }
  return nodes;
}

TEST(Trace, NamesItsInputs) {
  const Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 1);
  const auto graph = trace(model, torch::randn({2, 1, 32, 32}));
  std::vector<std::string> names;
  for (const auto* input : graph->inputs()) names.push_back(input->debugName());
  EXPECT_EQ(names, (std::vector<std::string>{"input", "conv1.weight", "conv1.bias", "conv2.weight",
                                             "conv2.bias", "fc1.weight", "fc1.bias", "fc2.weight",
                                             "fc2.bias", "fc3.weight", "fc3.bias"}));
}

TEST(Trace, UsesTheInputsWhenParametersAreViewsOfOneVector) {
  const Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 1);
  const FlatParameters parameters(*model.module);
  const auto graph = trace(model, torch::randn({2, 1, 32, 32}));
  const auto convolutions = nodes_of(*graph, "aten::_convolution");
  ASSERT_EQ(convolutions.size(), 2u);
  EXPECT_EQ(convolutions[0]->input(0), graph->inputs()[0]);
  EXPECT_EQ(convolutions[1]->input(1)->debugName(), "conv2.weight");
  EXPECT_EQ(convolutions[1]->input(2)->debugName(), "conv2.bias");
}

TEST(Trace, KnowsShapes) {
  const Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 1);
  const auto graph = trace(model, torch::randn({17, 1, 32, 32}));
  const auto type = nodes_of(*graph, "aten::_convolution")[0]->output()->type();
  EXPECT_EQ(*type->expect<c10::TensorType>()->sizes().concrete_sizes(),
            (std::vector<std::int64_t>{17, 16, 28, 28}));
  EXPECT_EQ(*graph->inputs()[1]->type()->expect<c10::TensorType>()->sizes().concrete_sizes(),
            (std::vector<std::int64_t>{16, 1, 5, 5}));
}

TEST(Trace, FollowsTheMode) {
  const Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 1);
  for (const bool training : {true, false}) {
    model.module->train(training);
    const auto graph = trace(model, torch::randn({2, 1, 32, 32}));
    const auto dropout = nodes_of(*graph, "aten::dropout");
    ASSERT_EQ(dropout.size(), 1u);
    const auto value = torch::jit::toIValue(dropout[0]->input(2));
    EXPECT_EQ(value->toBool(), training);
    EXPECT_EQ(model.module->is_training(), training);
  }
}

TEST(Trace, LeavesStatisticsAndGeneratorAlone) {
  const Model model = make_model("resnet18", {{1, 9, 9}, 10}, 1);
  model.module->train();
  const auto example = torch::randn({2, 1, 9, 9});
  torch::manual_seed(4);
  const auto expected = torch::rand({3});
  torch::manual_seed(4);
  trace(model, example);
  EXPECT_TRUE(torch::equal(torch::rand({3}), expected));
  const auto buffers = model.module->named_buffers();
  EXPECT_TRUE(buffers["bn1.running_mean"].eq(0).all().item<bool>());
  EXPECT_EQ(buffers["bn1.num_batches_tracked"].item<std::int64_t>(), 0);
}

TEST(Trace, SaysWhyWhenTheModelFails) {
  const Model model = make_model("lab-cnn", {{1, 28, 28}, 10}, 1);
  EXPECT_THAT(
      [&] {
        trace(model, torch::randn({2, 3, 32, 32}));
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("cannot be traced")));
  EXPECT_NO_THROW(trace(model, torch::randn({2, 1, 32, 32})));
}

}  // namespace
}  // namespace yoke

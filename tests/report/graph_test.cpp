#include "yoke/report/tensorboard/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/nn/functional/conv.h>
#include <torch/types.h>

#include <set>

#include "yoke/report/tensorboard/graph_names.h"

namespace yoke {
namespace {

using tensorboard::GraphDef;
using tensorboard::NodeDef;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> names(const GraphDef& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.node()) names.push_back(node.name());
  return names;
}

const NodeDef& find(const GraphDef& graph, const std::string& name) {
  for (const auto& node : graph.node()) {
    if (node.name() == name) return node;
  }
  throw std::out_of_range("no node " + name);
}

std::vector<std::int64_t> shape(const NodeDef& node) {
  std::vector<std::int64_t> sizes;
  for (const auto& dim : node.attr().at("_output_shapes").list().shape(0).dim()) {
    sizes.push_back(dim.size());
  }
  return sizes;
}

/// Conv -> relu -> flatten -> linear, traced with its parameters as inputs.
GraphDef traced_network() {
  namespace F = torch::nn::functional;
  const std::vector<std::string> names = {"input", "conv1.weight", "conv1.bias", "fc.weight",
                                          "fc.bias"};
  torch::jit::Stack inputs = {torch::rand({2, 3, 8, 8}), torch::rand({4, 3, 3, 3}), torch::rand(4),
                              torch::rand({10, 144}), torch::rand(10)};
  const auto forward = [](torch::jit::Stack stack) {
    const auto value = [&](std::size_t i) { return stack[i].toTensor(); };
    auto x = F::conv2d(value(0), value(1), F::Conv2dFuncOptions().bias(value(2)).stride(1));
    x = torch::relu(x).flatten(1);
    return torch::jit::Stack{torch::linear(x, value(3), value(4))};
  };
  const auto [state, outputs] = torch::jit::tracer::trace(
      inputs, forward, [](const torch::Tensor&) { return std::string(); }, /*strict=*/false);
  for (std::size_t i = 0; i < names.size(); ++i) {
    state->graph->inputs()[i]->setDebugName(names[i]);
  }
  return graph_definition(*state->graph);
}

GraphDef parsed(const std::string& text) {
  torch::jit::Graph graph;
  std::unordered_map<std::string, torch::jit::Value*> values;
  torch::jit::parseIR(text, &graph, values);
  return graph_definition(graph);
}

TEST(GraphDefinition, HasANodeForEachInputParameterAndOperator) {
  const auto graph = traced_network();
  EXPECT_THAT(names(graph), UnorderedElementsAre("input", "conv1/weight", "conv1/bias",
                                                 "conv1/convolution", "relu", "flatten",
                                                 "fc/weight", "fc/bias", "fc/linear", "output"));
  EXPECT_EQ(find(graph, "input").op(), "Input");
  EXPECT_EQ(find(graph, "conv1/weight").op(), "Parameter");
  EXPECT_EQ(find(graph, "conv1/convolution").op(), "aten::_convolution");
  EXPECT_EQ(find(graph, "output").op(), "Output");
  EXPECT_GT(graph.versions().producer(), 0);
}

TEST(GraphDefinition, HasTheEdgesOfTheTracedCalls) {
  const auto graph = traced_network();
  EXPECT_THAT(find(graph, "conv1/convolution").input(),
              ElementsAre("input", "conv1/weight", "conv1/bias"));
  EXPECT_THAT(find(graph, "relu").input(), ElementsAre("conv1/convolution"));
  EXPECT_THAT(find(graph, "flatten").input(), ElementsAre("relu"));
  EXPECT_THAT(find(graph, "fc/linear").input(), ElementsAre("flatten", "fc/weight", "fc/bias"));
  EXPECT_THAT(find(graph, "output").input(), ElementsAre("fc/linear"));
}

TEST(GraphDefinition, HasShapesAndTypesWhereTheyAreKnown) {
  const auto graph = traced_network();
  EXPECT_THAT(shape(find(graph, "input")), ElementsAre(2, 3, 8, 8));
  EXPECT_THAT(shape(find(graph, "conv1/weight")), ElementsAre(4, 3, 3, 3));
  EXPECT_THAT(shape(find(graph, "conv1/convolution")), ElementsAre(2, 4, 6, 6));
  EXPECT_THAT(shape(find(graph, "flatten")), ElementsAre(2, 144));
  EXPECT_EQ(find(graph, "relu").attr().at("dtype").type(), tensorboard::DT_FLOAT);
}

TEST(GraphDefinition, FoldsConstantsIntoAttributesOfTheirUser) {
  const auto graph = traced_network();
  const auto attributes = find(graph, "conv1/convolution").attr();
  EXPECT_THAT(attributes.at("stride").list().i(), ElementsAre(1, 1));
  EXPECT_EQ(attributes.at("groups").i(), 1);
  EXPECT_FALSE(attributes.at("transposed").b());
  EXPECT_EQ(find(graph, "flatten").attr().at("start_dim").i(), 1);
}

TEST(GraphDefinition, PutsAnOperatorIntoWhatItsNeighboursHaveInCommon) {
  const auto graph = parsed(R"IR(
graph(%x : Tensor, %block.0.a.weight : Tensor, %block.0.b.weight : Tensor, %block.1.weight : Tensor):
  %none : NoneType = prim::Constant()
  %1 : Tensor = aten::linear(%x, %block.0.a.weight, %none)
  %2 : Tensor = aten::relu_(%1)
  %3 : Tensor = aten::linear(%2, %block.0.b.weight, %none)
  %4 : Tensor = aten::relu_(%3)
  %5 : Tensor = aten::linear(%4, %block.1.weight, %none)
  %6 : Tensor = aten::relu_(%5)
  %7 : Tensor = aten::relu_(%6)
  return (%7))IR");
  EXPECT_THAT(names(graph),
              ElementsAre("x", "block/0/a/weight", "block/0/b/weight", "block/1/weight",
                          "block/0/a/linear", "block/0/relu", "block/0/b/linear", "block/relu",
                          "block/1/linear", "relu", "relu_1", "output"));
  EXPECT_THAT(find(graph, "relu_1").input(), ElementsAre("relu"));
  EXPECT_FALSE(find(graph, "block/0/a/linear").attr().contains("bias"));
}

TEST(GraphDefinition, CountsATransposedWeightAsAParameter) {
  const auto graph = parsed(R"IR(
graph(%x : Tensor, %a.weight : Tensor, %b.weight : Tensor):
  %1 : Tensor = aten::t(%a.weight)
  %2 : Tensor = aten::matmul(%x, %1)
  %3 : Tensor = aten::t(%b.weight)
  %4 : Tensor = aten::matmul(%2, %3)
  return (%4))IR");
  EXPECT_THAT(names(graph), ElementsAre("x", "a/weight", "b/weight", "a/t", "a/matmul", "b/t",
                                        "b/matmul", "output"));
}

TEST(GraphDefinition, ExpandsListsOfTensorsAndNumbersOutputs) {
  const auto graph = parsed(R"IR(
graph(%x : Tensor):
  %dim : int = prim::Constant[value=1]()
  %values : Tensor, %indices : Tensor = aten::sort(%x, %dim)
  %list : Tensor[] = prim::ListConstruct(%values, %indices, %x)
  %joined : Tensor = aten::cat(%list, %dim)
  return (%joined))IR");
  EXPECT_THAT(names(graph), ElementsAre("x", "sort", "cat", "output"));
  EXPECT_THAT(find(graph, "cat").input(), ElementsAre("sort", "sort:1", "x"));
  EXPECT_EQ(find(graph, "cat").attr().at("dim").i(), 1);
  EXPECT_TRUE(find(graph, "cat").attr().at("_output_shapes").list().shape(0).unknown_rank());
}

TEST(GraphDefinition, LeavesOutParametersThatAreNotUsed) {
  const auto graph = parsed(R"IR(
graph(%x : Tensor, %bn.num_batches_tracked : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  EXPECT_THAT(names(graph), ElementsAre("x", "relu", "output"));
}

TEST(GraphPath, HoldsOnlyWhatTensorBoardAccepts) {
  EXPECT_EQ(graph_path("layer1.0.conv1.weight"), "layer1/0/conv1/weight");
  EXPECT_EQ(graph_path("a b:c"), "a_b_c");
  EXPECT_EQ(graph_path("_private"), "x_private");
  EXPECT_EQ(graph_path(""), "x");
}

TEST(FillScopes, DoesNotTakeABeginningOfANameForALevel) {
  EXPECT_THAT(fill_scopes({"layer1", std::nullopt, "layer10"}),
              ElementsAre("layer1", "", "layer10"));
  EXPECT_THAT(fill_scopes({std::nullopt, "a/b", std::nullopt}), ElementsAre("", "a/b", ""));
}

}  // namespace
}  // namespace yoke

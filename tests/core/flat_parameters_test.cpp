#include "yoke/core/flat_parameters.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

TEST(FlatParameters, HoldsValuesOfTheModuleInItsOrder) {
  torch::nn::Linear layer(3, 2);
  const auto weight = layer->weight.detach().clone(), bias = layer->bias.detach().clone();
  FlatParameters parameters(*layer);
  EXPECT_TRUE(parameters.values().equal(torch::cat({weight.flatten(), bias})));
  ASSERT_EQ(parameters.slices().size(), 2u);
  EXPECT_EQ(parameters.slices()[1].name, "bias");
  EXPECT_EQ(parameters.slices()[1].offset, 6);
  EXPECT_EQ(parameters.slices()[0].shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(FlatParameters, ModuleAndVectorSeeEachOthersChanges) {
  torch::nn::Linear layer(3, 2);
  FlatParameters parameters(*layer);
  parameters.values().fill_(2);
  EXPECT_TRUE(layer->weight.equal(torch::full({2, 3}, 2.0F)));
  torch::NoGradGuard no_grad;
  layer->bias.fill_(5);
  EXPECT_EQ(parameters.values()[7].item<float>(), 5);
}

TEST(FlatParameters, BackwardFillsTheGradientsInPlace) {
  torch::nn::Linear layer(3, 1);
  FlatParameters parameters(*layer);
  const void* const storage = parameters.gradients().data_ptr();
  for (int pass = 1; pass <= 2; ++pass) {
    layer->forward(torch::tensor({{1.0F, 2.0F, 3.0F}})).sum().backward();
    EXPECT_TRUE(parameters.gradients().equal(torch::tensor({1.0F, 2.0F, 3.0F, 1.0F}) * pass));
  }
  EXPECT_EQ(parameters.gradients().data_ptr(), storage);
}

TEST(FlatParameters, LieInMemoryThatIsGiven) {
  torch::nn::Linear layer(3, 2);
  const auto weight = layer->weight.detach().clone();
  auto gradients = torch::zeros({8}), values = torch::zeros({8});
  FlatParameters parameters(
      *layer, [&](std::int64_t) { return gradients; }, [&](std::int64_t) { return values; });
  EXPECT_TRUE(values.narrow(0, 0, 6).equal(weight.flatten()));
  EXPECT_EQ(parameters.values().data_ptr(), values.data_ptr());
  EXPECT_EQ(layer->bias.data_ptr<float>(), values.data_ptr<float>() + 6);
  EXPECT_EQ(layer->bias.grad().data_ptr<float>(), gradients.data_ptr<float>() + 6);
}

TEST(FlatParameters, PartIsAViewWithWhatLiesThereOfEverySlice) {
  torch::nn::Linear layer(3, 2);  // 6 weights, 2 biases
  FlatParameters parameters(*layer);
  FlatParameters part = parameters.part(4, 8), first = parameters.part(0, 3);
  const torch::NoGradGuard no_grad;
  part.values().fill_(5);
  part.gradients().fill_(6);
  EXPECT_EQ(layer->weight[1][1].item<float>(), 5);
  EXPECT_EQ(layer->bias.grad()[1].item<float>(), 6);
  EXPECT_EQ(part.size(), 4);
  ASSERT_EQ(part.slices().size(), 2U);
  EXPECT_EQ(part.slices()[0].offset, 0);
  EXPECT_EQ(part.slices()[0].elements, 2);
  EXPECT_EQ(part.slices()[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(part.slices()[1].offset, 2);
  EXPECT_EQ(part.slices()[1].elements, 2);
  EXPECT_EQ(first.slices()[0].elements, 3);
  EXPECT_EQ(first.slices()[1].elements, 0);
  EXPECT_EQ(part.slices()[0].begin, 4);
  EXPECT_EQ(part.slices()[1].begin, 0);
  EXPECT_EQ(parameters.part(5, 8).part(0, 3).slices()[0].begin, 5);
  EXPECT_EQ(parameters.part(7, 8).slices()[0].begin, 0) << "of nothing";
}

TEST(FlatParameters, KnowsWhatIsFrozenAlsoInAPart) {
  torch::nn::Linear layer(3, 2);
  layer->weight.set_requires_grad(false);
  FlatParameters parameters(*layer), part = parameters.part(4, 8);
  for (const auto& slices : {parameters.slices(), part.slices()}) {
    EXPECT_TRUE(slices[0].frozen);
    EXPECT_FALSE(slices[1].frozen);
  }
}

TEST(FlatParameters, RefusesParametersThatShareMemory) {
  torch::nn::Linear layer(3, 3);
  layer->register_parameter("tied", layer->weight.detach());
  EXPECT_THROW(FlatParameters{*layer}, Error);
}

TEST(FlatParameters, RefusesOtherTypes) {
  torch::nn::Linear layer(3, 1);
  layer->to(torch::kFloat64);
  EXPECT_THROW(FlatParameters{*layer}, Error);
}

}  // namespace
}  // namespace yoke

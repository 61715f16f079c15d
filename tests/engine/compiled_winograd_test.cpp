// tests/engine/compiled_winograd_test.cpp: networks whose convolutions go by Winograd's tiles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"
#include "yoke/engine/compiled/layers/winograd_choice.h"

namespace yoke::test {
namespace {

using testing::HasSubstr, testing::Not;
using torch::Tensor;
using torch::nn::BatchNorm2d, torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

/// Convolutions with and without bias, activation, padding and batch norm, one read twice.
Model every_kind() {
  return model_of({3, 14, 11}, [](torch::nn::Module& module) {
    auto first = module.register_module("first", Conv2d(Conv2dOptions(3, 16, 3)));
    auto plain = module.register_module("plain", Conv2d(Conv2dOptions(16, 32, 3).padding(1)));
    auto bare = module.register_module("bare", Conv2d(Conv2dOptions(32, 32, 3).bias(false)));
    auto wide = module.register_module("wide", Conv2d(Conv2dOptions(32, 32, 3).padding({2, 0})));
    auto five = module.register_module("five", Conv2d(Conv2dOptions(32, 32, 5).padding({2, 1})));
    auto odd = module.register_module("odd", Conv2d(Conv2dOptions(32, 23, 3).padding(1)));
    auto filled = module.register_module("filled", Conv2d(Conv2dOptions(23, 32, 3).padding(1)));
    auto leaky = module.register_module("leaky", Conv2d(Conv2dOptions(32, 48, 3).padding(1)));
    auto strided = module.register_module("strided", Conv2d(Conv2dOptions(48, 32, 3).stride(2)));
    auto last = module.register_module("last", Linear(32 * 5 * 1, 10));
    return [=](Tensor x) mutable {
      x = torch::relu(first->forward(x));
      x = torch::relu(plain->forward(x));
      x = bare->forward(x);
      x = five->forward(x + torch::tanh(x));
      x = filled->forward(torch::relu(odd->forward(x)));
      x = torch::leaky_relu(leaky->forward(wide->forward(x)), 0.1);
      return last->forward(torch::relu(strided->forward(x)).flatten(1));
    };
  });
}

Model with_batch_norm() {
  return model_of({16, 9, 9}, [](torch::nn::Module& module) {
    auto a = module.register_module("a", Conv2d(Conv2dOptions(16, 32, 3).padding(1).bias(false)));
    auto norm = module.register_module("norm", BatchNorm2d(32));
    auto b = module.register_module("b", Conv2d(Conv2dOptions(32, 32, 3).padding(1).bias(false)));
    auto last = module.register_module("last", Linear(32, 10));
    return [=](Tensor x) mutable {
      x = torch::relu(norm->forward(a->forward(x)));
      x = torch::relu(b->forward(x) + x);
      return last->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    };
  });
}

/// Convolutions of grey or coloured images, of which a gradient is wanted where they are not the
/// first.
Model of_few_channels() {
  return model_of({1, 13, 18}, [](torch::nn::Module& module) {
    auto grey = module.register_module("grey", Conv2d(Conv2dOptions(1, 16, 5).padding({1, 4})));
    auto few = module.register_module("few", Conv2d(Conv2dOptions(16, 3, 1)));
    auto coloured = module.register_module("coloured", Conv2d(Conv2dOptions(3, 48, 3).bias(false)));
    auto last = module.register_module("last", Linear(48, 10));
    return [=](Tensor x) mutable {
      x = torch::leaky_relu(grey->forward(x), 0.1);
      x = torch::relu(coloured->forward(few->forward(x)));
      return last->forward(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
    };
  });
}

constexpr auto kWinograd = ConvolutionAlgorithm::kWinograd;

TEST(CompiledWinograd, EqualsEager) {
  compare_with_eager(every_kind, {.batch = 17, .convolution = kWinograd});
  compare_with_eager(every_kind, {.batch = 1, .convolution = kWinograd});
  compare_with_eager(every_kind, {.batch = 17, .micro_batch = 5, .convolution = kWinograd});
  compare_with_eager(every_kind,
                     {.batch = 17, .replicas = 3, .micro_batch = 2, .convolution = kWinograd});
}

TEST(CompiledWinograd, EqualsEagerOfFewChannels) {
  compare_with_eager(of_few_channels, {.batch = 17, .convolution = kWinograd});
  compare_with_eager(of_few_channels,
                     {.batch = 17, .replicas = 2, .micro_batch = 3, .convolution = kWinograd});
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_with_eager(of_few_channels,
                     {.batch = 17, .precision = Precision::kBf16, .convolution = kWinograd});
}

TEST(CompiledWinograd, EqualsEagerWithBatchNorm) {
  compare_with_eager(with_batch_norm, {.batch = 17, .convolution = kWinograd});
}

TEST(CompiledWinograd, EqualsEagerInBf16) {
  if (const auto why = why_not(Precision::kBf16); !why.empty()) GTEST_SKIP() << why;
  compare_with_eager(every_kind,
                     {.batch = 17, .precision = Precision::kBf16, .convolution = kWinograd});
}

TEST(CompiledWinograd, EqualsEagerInModels) {
  for (const char* const name : {"resnet18", "airbench", "lab-cnn:dropout=0", "cifar-net"}) {
    SCOPED_TRACE(name);
    compare_with_eager(
        [&] {
          return make_model(name, {{3, 32, 32}, 10}, 1);
        },
        {.batch = 4, .convolution = kWinograd});
  }
}

/// The operations of layer `name`, each on a line.
std::string operations(const std::string& name, ConvolutionAlgorithm algorithm) {
  Compiled compiled(every_kind(), {.convolution = algorithm});
  std::string found;
  for (const StepCost& step : compiled.engine->profile(random_batch(compiled.model, 4), 1)) {
    if (step.layer == name) found += step.operation + "\n";
  }
  return found;
}

TEST(CompiledWinograd, ComputesAllPassesWhereItIsAskedFor) {
  for (const char* const layer : {"bare", "five", "filled"}) {
    const std::string all = operations(layer, kWinograd);
    for (const char* const pass : {"convolution", "weight gradient", "data gradient"}) {
      EXPECT_THAT(all, HasSubstr(fmt::format("{} (winograd ", pass))) << layer;
    }
  }
  const std::string first = operations("first", kWinograd);
  for (const char* const pass : {"convolution", "weight gradient"}) {
    EXPECT_THAT(first, HasSubstr(fmt::format("{} (winograd in registers)", pass)));
  }
  EXPECT_THAT(operations("bare", ConvolutionAlgorithm::kDirect), Not(HasSubstr("winograd")));
}

TEST(CompiledWinograd, LeavesOtherConvolutionsToDirectOnes) {
  EXPECT_THAT(operations("strided", kWinograd), Not(HasSubstr("winograd")));
}

/// Of a model of 64 channels, computed as the engine chooses.
std::string chosen(std::int64_t images, Precision precision) {
  Compiled compiled(model_of({64, 16, 16},
                             [](torch::nn::Module& module) {
                               auto only = module.register_module(
                                   "only", Conv2d(Conv2dOptions(64, 64, 3).padding(1)));
                               return [=](Tensor x) mutable {
                                 return only->forward(x).mean(std::vector<std::int64_t>{2, 3});
                               };
                             }),
                    {.precision = precision});
  std::string found;
  for (const StepCost& step : compiled.engine->profile(random_batch(compiled.model, images), 1)) {
    if (step.layer == "only") found += step.operation + "\n";
  }
  return found;
}

TEST(CompiledWinograd, IsTakenWithoutBeingAskedForWhereItPays) {
  EXPECT_THAT(chosen(64, Precision::kFp32), HasSubstr("convolution (winograd "));
  EXPECT_THAT(chosen(1, Precision::kFp32), Not(HasSubstr("winograd")));
}

/// With padding that leaves images as large as they are.
compiled::Convolution convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t side,
                                  std::int64_t taps = 3) {
  compiled::Convolution layer;
  layer.kernel = {outputs, inputs, taps, taps};
  layer.windows = {{1, 1}, {0, 0}, {taps / 2, taps / 2}, {taps / 2, taps / 2}};
  layer.input_shape = {inputs, side, side};
  layer.output_shape = {outputs, side, side};
  return layer;
}

TEST(CompiledWinograd, IsChosenWhereThereIsLessToDo) {
  const auto pays = [](const compiled::Convolution& layer, std::int64_t images) {
    return compiled::winograd_pays(layer, images, /*runs=*/1, dnnl::memory::data_type::f32);
  };
  EXPECT_TRUE(pays(convolution(64, 64, 32), 16));
  EXPECT_TRUE(pays(convolution(512, 512, 4), 128));
  EXPECT_FALSE(pays(convolution(512, 512, 4), 4)) << "weights are read for few";
  EXPECT_TRUE(pays(convolution(16, 16, 32), 64));
  EXPECT_FALSE(pays(convolution(256, 256, 2), 512)) << "tiles are mostly empty";
  EXPECT_TRUE(pays(convolution(16, 32, 10, 5), 64));
  EXPECT_FALSE(pays(convolution(16, 32, 2, 5), 64)) << "tiles are mostly empty";
  EXPECT_TRUE(pays(convolution(3, 32, 32), 16));
  EXPECT_TRUE(pays(convolution(1, 16, 28, 5), 64));
  EXPECT_FALSE(pays(convolution(1, 16, 28), 64)) << "transforms take as long";
}

TEST(CompiledWinograd, TransformsWeightsOnceForAllRunsOfAStep) {
  const auto pays = [](std::int64_t images, std::int64_t runs) {
    return compiled::winograd_pays(convolution(256, 256, 8), images, runs,
                                   dnnl::memory::data_type::bf16);
  };
  EXPECT_FALSE(pays(6, 1));
  EXPECT_TRUE(pays(6, 8));
  EXPECT_FALSE(pays(2, 64)) << "weights are read in each";
}

TEST(CompiledWinograd, HasToSaveMoreInBf16) {
  const auto pays_in = [](dnnl::memory::data_type type, const compiled::Convolution& layer) {
    return compiled::winograd_pays(layer, 128, /*runs=*/1, type);
  };
  const auto pays = [&](const compiled::Convolution& layer) {
    return pays_in(dnnl::memory::data_type::bf16, layer);
  };
  EXPECT_TRUE(pays(convolution(256, 256, 16)));
  EXPECT_TRUE(pays(convolution(32, 64, 16)));
  EXPECT_FALSE(pays(convolution(256, 256, 2))) << "tiles are mostly empty";
  const auto half_empty = convolution(32, 32, 3);
  EXPECT_TRUE(pays_in(dnnl::memory::data_type::f32, half_empty));
  EXPECT_FALSE(pays(half_empty)) << "transforms take as long";
  EXPECT_FALSE(pays(convolution(16, 16, 2, 5))) << "tiles of 5x5 are multiplied in fp32";
}

}  // namespace
}  // namespace yoke::test

// tests/engine/compiled_parameters_test.cpp: parameters that are changed, shared or unused.
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

TEST(CompiledParameters, AreSeenWhenChangedFromOutside) {
  const auto make = [] { return make_model("lab-cnn:dropout=0", {{1, 28, 28}, 10}, 3); };
  Compiled changed(make(), {.replicas = 2});
  const Batch batch = random_batch(changed.model, 6);
  changed.engine->gradient(batch, {});
  changed.engine->predict(batch.input);
  {
    const torch::NoGradGuard no_grad;
    changed.parameters.values().mul_(1.5);
  }
  Model model = make();
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : model.module->parameters()) parameter.mul_(1.5);
  }
  Compiled fresh(std::move(model), {.replicas = 2});
  EXPECT_TRUE(
      torch::equal(changed.engine->predict(batch.input), fresh.engine->predict(batch.input)));
  EXPECT_TRUE(torch::equal(changed.engine->gradient(batch, {}).loss,
                           fresh.engine->gradient(batch, {}).loss));
  EXPECT_TRUE(torch::equal(changed.parameters.gradients(), fresh.parameters.gradients()));
}

TEST(CompiledParameters, GetNoGradientWhenUnused) {
  Compiled compiled(model_of({1, 3, 3}, [](torch::nn::Module& module) {
    auto used = module.register_module("used", Linear(9, 10));
    module.register_module("unused", Linear(9, 10));
    return [=](Tensor x) mutable { return used->forward(x.flatten(1)); };
  }));
  compiled.parameters.gradients().fill_(5);
  compiled.engine->gradient(random_batch(compiled.model, 3), {});
  EXPECT_TRUE(compiled.gradient_of("unused.weight").eq(0).all().item<bool>());
  EXPECT_FALSE(compiled.gradient_of("used.weight").eq(0).any().item<bool>());
}

/// In one go, in micro-batches and on replicas.
void compare_in_all_ways(const std::function<Model()>& make) {
  compare_with_eager(make, {.batch = 17});
  compare_with_eager(make, {.batch = 17, .micro_batch = 5});
  compare_with_eager(make, {.batch = 17, .replicas = 3, .micro_batch = 2});
}

TEST(CompiledParameters, GetTheSumOfGradientsWhenAConvolutionIsUsedTwice) {
  compare_in_all_ways([] {
    return model_of({16, 5, 7}, [](torch::nn::Module& module) {
      const auto options = Conv2dOptions(16, 16, 3).padding(1);
      auto shared = module.register_module("shared", Conv2d(options));
      auto last = module.register_module("last", Linear(16 * 5 * 7, 10));
      return [=](Tensor x) mutable {
        x = torch::relu(shared->forward(x));
        return last->forward(torch::tanh(shared->forward(x)).flatten(1));
      };
    });
  });
}

TEST(CompiledParameters, GetTheSumOfGradientsWhenALinearLayerIsUsedTwice) {
  compare_in_all_ways([] {
    return model_of({1, 3, 3}, [](torch::nn::Module& module) {
      auto shared = module.register_module("shared", Linear(9, 9));
      auto last = module.register_module("last", Linear(9, 10));
      return [=](Tensor x) mutable {
        x = torch::relu(shared->forward(x.flatten(1)));
        return last->forward(shared->forward(x));
      };
    });
  });
}

TEST(CompiledParameters, GetTheSumOfGradientsWhenUsedForAnImageAndForFeatures) {
  compare_in_all_ways([] {
    return model_of({3, 4, 5}, [](torch::nn::Module& module) {
      auto convolution = module.register_module("convolution", Conv2d(Conv2dOptions(3, 32, 3)));
      auto shared = module.register_module("shared", Linear(32 * 2 * 3, 32 * 2 * 3));
      auto last = module.register_module("last", Linear(32 * 2 * 3, 10));
      return [=](Tensor x) mutable {
        x = torch::relu(shared->forward(convolution->forward(x).flatten(1)));
        return last->forward(shared->forward(x));
      };
    });
  });
}

}  // namespace
}  // namespace yoke::test

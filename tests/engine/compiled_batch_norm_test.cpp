// tests/engine/compiled_batch_norm_test.cpp: batch norm over replicas, and used in unusual ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::BatchNorm2d, torch::nn::BatchNormOptions, torch::nn::Conv2d,
    torch::nn::Conv2dOptions, torch::nn::Linear;

/// Convolution, batch norm with `options`, `use` of both, linear.
template <typename Use>
Model convolution_and_norm(const BatchNormOptions& options, const Use& use) {
  return model_of({2, 5, 7}, [&](torch::nn::Module& module) {
    auto convolution = module.register_module("convolution", Conv2d(Conv2dOptions(2, 5, 3)));
    auto norm = module.register_module("norm", BatchNorm2d(options));
    auto linear = module.register_module("linear", Linear(5 * 3 * 5, 10));
    return [=](Tensor x) mutable {
      return linear->forward(use(convolution->forward(x), norm).flatten(1));
    };
  });
}

Model once(const BatchNormOptions& options) {
  return convolution_and_norm(options, [](Tensor x, auto& norm) { return norm->forward(x); });
}

TEST(CompiledBatchNorm, KeepsStatisticsOfTheWholeBatchWhenReplicasShareIt) {
  for (const int replicas : {1, 2, 3}) {
    Compiled compiled(once(BatchNormOptions(5)), {.replicas = replicas});
    Model model = once(BatchNormOptions(5));
    FlatParameters parameters(*model.module);
    const auto eager = make_eager_engine(model, parameters);
    for (const std::int64_t size : {17, 4, 9}) {  // unequal shares
      const Batch batch = random_batch(model, size);
      eager->gradient(batch, {});
      compiled.engine->gradient(batch, {});
      for (const auto& buffer : model.module->named_buffers()) {
        const Tensor found = compiled.model.module->named_buffers()[buffer.key()];
        EXPECT_TRUE(torch::allclose(found, buffer.value(), 1e-5, 1e-6)) << buffer.key() << replicas;
      }
    }
  }
}

TEST(CompiledBatchNorm, RefusesAReplicaWithOneValueOfAChannel) {
  const auto model = [](bool has_running_statistics) {
    return model_of({3, 2, 2}, [&](torch::nn::Module& module) {
      auto convolution = module.register_module("convolution", Conv2d(Conv2dOptions(3, 4, 2)));
      const auto options = BatchNormOptions(4).track_running_stats(has_running_statistics);
      auto norm = module.register_module("norm", BatchNorm2d(options));
      auto linear = module.register_module("linear", Linear(4, 10));
      return [=](Tensor x) mutable {
        return linear->forward(norm->forward(convolution->forward(x)).flatten(1));
      };
    });
  };
  for (const bool has_running_statistics : {true, false}) {
    Compiled two(model(has_running_statistics), {.replicas = 2});
    EXPECT_NO_THROW(two.engine->gradient(random_batch(two.model, 4), {}));
    EXPECT_THAT(
        [&] { two.engine->gradient(random_batch(two.model, 3), {}); },
        testing::ThrowsMessage<Error>(testing::HasSubstr("a replica has one image of 1x1")));
  }
}

TEST(CompiledBatchNorm, NormalisesEachReplicasPart) {
  Compiled compiled(once(BatchNormOptions(5)), {.replicas = 2});
  Compiled half(once(BatchNormOptions(5)));
  const Batch batch = random_batch(compiled.model, 8);
  const Batch first{.input = batch.input.slice(0, 0, 4), .target = batch.target.slice(0, 0, 4)};
  const Tensor scores = compiled.engine->gradient(batch, {}).scores.slice(0, 0, 4);
  EXPECT_LT(relative_difference(scores, half.engine->gradient(first, {}).scores), 1e-6);
}

TEST(CompiledBatchNorm, EqualsEagerWhenUsedTwice) {
  compare_with_eager(
      [] {
        return convolution_and_norm(BatchNormOptions(5), [](Tensor x, auto& norm) {
          return norm->forward(torch::tanh(norm->forward(x)));
        });
      },
      {.batch = 17});
}

TEST(CompiledBatchNorm, EqualsEagerWhenFrozenInEvaluation) {
  compare_with_eager(
      [] {
        return convolution_and_norm(BatchNormOptions(5), [](Tensor x, auto& norm) {
          return torch::batch_norm(x, norm->weight, norm->bias, norm->running_mean,
                                   norm->running_var, /*training=*/false, 0.1, 1e-5, false);
        });
      },
      {.batch = 17, .replicas = 2, .micro_batch = 5});
}

TEST(CompiledBatchNorm, RefusesASingleValuePerChannel) {
  Compiled compiled(model_of({4, 1, 1}, [](torch::nn::Module& module) {
    auto norm = module.register_module("norm", BatchNorm2d(BatchNormOptions(4)));
    auto linear = module.register_module("linear", Linear(4, 10));
    return [=](Tensor x) mutable { return linear->forward(norm->forward(x).flatten(1)); };
  }));
  EXPECT_THROW(compiled.engine->gradient(random_batch(compiled.model, 1), {}), Error);
  EXPECT_TRUE(compiled.model.module->named_buffers()["norm.running_var"].eq(1).all().item<bool>());
}

TEST(CompiledBatchNorm, IsUnsupportedWhenItsStatisticsAreNoBuffers) {
  const auto with_mean = [](auto mean) {
    return convolution_and_norm(BatchNormOptions(5), [mean](Tensor x, auto& norm) {
      return torch::batch_norm(x, norm->weight, norm->bias, mean(norm), norm->running_var,
                               /*training=*/false, 0.1, 1e-5, false);
    });
  };
  EXPECT_THROW(Compiled{with_mean([](auto& norm) { return norm->running_mean + 1; })},
               UnsupportedModel);
  const Tensor constant = torch::zeros({5});
  EXPECT_THROW(Compiled{with_mean([=](auto&) -> const Tensor& { return constant; })},
               UnsupportedModel);
}

TEST(CompiledBatchNorm, IsUnsupportedWhenItKeepsACumulativeAverage) {
  EXPECT_THAT([] { Compiled{once(BatchNormOptions(5).momentum(c10::nullopt))}; },
              testing::ThrowsMessage<UnsupportedModel>(testing::HasSubstr("norm")));
}

}  // namespace
}  // namespace yoke::test

// tests/engine/replicated_batch_norm_test.cpp: batch norm over replicas of the eager engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/trained.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/replicated.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::BatchNorm2d, torch::nn::BatchNormOptions, torch::nn::Conv2d, torch::nn::Linear;

/// Convolution, batch norm with `options` used so often, linear.
Model convolution_and_norm(const BatchNormOptions& options, int uses) {
  return model_of({2, 5, 7}, [&](torch::nn::Module& module) {
    auto convolution = module.register_module("convolution", Conv2d(2, 5, 3));
    auto norm = module.register_module("norm", BatchNorm2d(options));
    auto linear = module.register_module("linear", Linear(5 * 3 * 5, 10));
    return [=](Tensor x) mutable {
      x = convolution->forward(x);
      for (int i = 0; i < uses; ++i) x = torch::tanh(norm->forward(x));
      return linear->forward(x.flatten(1));
    };
  });
}

/// A model on replicas of the eager engine, or, with one, on the eager engine itself.
struct TrainedTogether {
  TrainedTogether(const std::function<Model()>& make, std::size_t replicas)
      : model(make()),
        parameters(*model.module),
        engine(replicas == 1 ? make_eager_engine(model, parameters)
                             : make_replicated_engine(
                                   model, parameters,
                                   {.devices = std::vector<torch::Device>(replicas, torch::kCPU),
                                    .another = make})) {}

  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
};

TEST(ReplicatedBatchNorm, KeepsStatisticsOfTheWholeBatch) {
  const BatchNormOptions plain(5), cumulative = BatchNormOptions(5).momentum(c10::nullopt);
  for (const auto& options : {plain, cumulative, BatchNormOptions(5).affine(false)}) {
    const auto make = [&] { return convolution_and_norm(options, 1); };
    for (const std::size_t replicas : {2, 3}) {
      TrainedTogether one(make, 1), many(make, replicas);
      for (const std::int64_t size : {17, 4, 9, 1}) {  // unequal shares
        const Batch batch = random_batch(one.model, size);
        one.engine->gradient(batch, {});
        many.engine->gradient(batch, {});
        for (const auto& buffer : one.model.module->named_buffers()) {
          const Tensor found = many.model.module->named_buffers()[buffer.key()];
          EXPECT_TRUE(torch::allclose(found, buffer.value(), 1e-5, 1e-6))
              << buffer.key() << ", " << replicas << " replicas, " << size << " images";
        }
        EXPECT_LT(relative_difference(many.engine->predict(batch.input),
                                      one.engine->predict(batch.input)),
                  1e-5);
      }
    }
  }
}

TEST(ReplicatedBatchNorm, NormalisesEachReplicasPart) {
  for (const int uses : {1, 2}) {
    const auto make = [&] { return convolution_and_norm(BatchNormOptions(5), uses); };
    TrainedTogether many(make, 3), one(make, 1);
    const Batch batch = random_batch(one.model, 8);
    const Tensor scores = many.engine->gradient(batch, {}).scores;
    Tensor sum = torch::zeros_like(one.parameters.gradients());
    for (const auto& [begin, end] : {std::pair{0, 3}, {3, 6}, {6, 8}}) {
      const Tensor part = one.engine->gradient(batch.slice(begin, end), {}).scores;
      EXPECT_LT(relative_difference(scores.slice(0, begin, end), part), 1e-5);
      sum += one.parameters.gradients();
    }
    EXPECT_LT(relative_difference(many.parameters.gradients(), sum), 2e-5);
  }
}

TEST(ReplicatedBatchNorm, MovesALayerUsedTwiceInItsOrder) {
  TrainedTogether trained([] { return convolution_and_norm(BatchNormOptions(5), 2); }, 2);
  trained.engine->gradient(random_batch(trained.model, 8), {});
  const auto buffers = trained.model.module->named_buffers();
  EXPECT_EQ(buffers["norm.num_batches_tracked"].item<std::int64_t>(), 2);
  EXPECT_FALSE(buffers["norm.running_mean"].eq(0).any().item<bool>());
}

TEST(ReplicatedBatchNorm, RefusesOneValuePerChannelOfAPart) {
  const auto make = [] {
    return model_of({4, 1, 1}, [](torch::nn::Module& module) {
      auto norm = module.register_module("norm", BatchNorm2d(BatchNormOptions(4)));
      auto linear = module.register_module("linear", Linear(4, 10));
      return [=](Tensor x) mutable { return linear->forward(norm->forward(x).flatten(1)); };
    });
  };
  TrainedTogether trained(make, 2);
  EXPECT_THAT(
      [&] { trained.engine->gradient(random_batch(trained.model, 3), {}); },
      testing::ThrowsMessage<std::exception>(testing::HasSubstr("more than 1 value per channel")));
  EXPECT_TRUE(trained.model.module->named_buffers()["norm.running_var"].eq(1).all().item<bool>());
}

}  // namespace
}  // namespace yoke::test

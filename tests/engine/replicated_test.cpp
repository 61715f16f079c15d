// tests/engine/replicated_test.cpp: replicas of the eager engine equal one.
#include "yoke/engine/eager/replicated.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>
#include <torch/nn/modules/linear.h>

#include <mutex>
#include <set>

#include "tests/engine/trained.h"
#include "tests/support/gpus.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

using Make = std::function<Model()>;

Make named(const std::string& text) {
  return [text] { return make_model(text, {{3, 13, 13}, 10}, 3); };
}

/// A model with so many replicas of the eager engine on the CPU.
struct TrainedReplicas {
  TrainedReplicas(const Make& make, int replicas, int threads = 1)
      : model(make()),
        parameters(*model.module),
        engine(make_engine(model, parameters,
                           {.kind = EngineKind::kEager,
                            .replicas = replicas,
                            .threads = threads,
                            .another = make})
                   .engine) {}

  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
};

/// Sums of shares are taken in another order than one sum; some roundings of 6e-8 of the largest.
constexpr double kRounding = 2e-5;

/// Steps of SGD with both, on batches of `sizes`, one after another.
void expect_equal_steps(TrainedReplicas& one, TrainedReplicas& many,
                        std::initializer_list<std::int64_t> sizes) {
  std::int64_t step = 0;
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(fmt::format("{} images", size));
    const Batch batch = random_batch(one.model, size, static_cast<std::uint64_t>(size));
    const StepKey key{.seed = 3, .step = step++};
    const Forward expected = one.engine->gradient(batch, key);
    const Forward found = many.engine->gradient(batch, key);
    EXPECT_NEAR(found.loss.item<double>(), expected.loss.item<double>(), 1e-5);
    ASSERT_EQ(found.scores.sizes(), expected.scores.sizes());
    EXPECT_LT(relative_difference(found.scores, expected.scores), kRounding);
    EXPECT_LT(relative_difference(many.parameters.gradients(), one.parameters.gradients()),
              kRounding);
    for (auto* trained : {&one, &many}) {
      trained->parameters.values().sub_(trained->parameters.gradients(), 0.05);
    }
    EXPECT_LT(
        relative_difference(many.engine->predict(batch.input), one.engine->predict(batch.input)),
        kRounding);
  }
}

TEST(Replicated, EqualsOneReplica) {
  for (const char* const text : {"mlp", "lenet", "lab-cnn", "lab-cnn:dropout=0.6", "cifar-net"}) {
    for (const int replicas : {2, 3}) {
      SCOPED_TRACE(fmt::format("{}, {} replicas", text, replicas));
      TrainedReplicas one(named(text), 1), many(named(text), replicas);
      expect_equal_steps(one, many, {17, 6, 1, 2, 4, 32});
    }
  }
}

TEST(Replicated, DropsWhatOneReplicaDropsOfARanksShare) {
  TrainedReplicas one(named("lab-cnn"), 1), many(named("lab-cnn"), 3);
  Batch share = random_batch(one.model, 11);
  share.first_image = 13;
  share.step_images = 40;
  const Tensor expected = one.engine->gradient(share, kKey).scores;
  EXPECT_LT(relative_difference(many.engine->gradient(share, kKey).scores, expected), kRounding);
  share.first_image = 12;
  EXPECT_GT(relative_difference(many.engine->gradient(share, kKey).scores, expected), 1e-3);
}

TEST(Replicated, GivesEqualBitsWhenTheKeyIsEqual) {
  for (const char* const text : {"lab-cnn", "resnet18"}) {
    TrainedReplicas trained(named(text), 3);
    const Batch batch = random_batch(trained.model, 17);
    const Forward first = trained.engine->gradient(batch, kKey);
    const Tensor gradient = trained.parameters.gradients().clone();
    trained.engine->gradient(random_batch(trained.model, 5, 9), {});
    const Forward again = trained.engine->gradient(batch, kKey);
    EXPECT_TRUE(again.loss.equal(first.loss));
    EXPECT_TRUE(again.scores.equal(first.scores));
    EXPECT_TRUE(trained.parameters.gradients().equal(gradient));
  }
}

TEST(Replicated, GivesZeroWhenEmpty) {
  TrainedReplicas trained(named("mlp"), 2);
  trained.engine->gradient(random_batch(trained.model, 4), kKey);
  const Forward forward = trained.engine->gradient(random_batch(trained.model, 0), kKey);
  EXPECT_EQ(forward.loss.item<double>(), 0);
  EXPECT_EQ(forward.scores.size(0), 0);
  EXPECT_TRUE(trained.parameters.gradients().eq(0).all().item<bool>());
  EXPECT_EQ(trained.engine->predict(random_batch(trained.model, 0).input).size(0), 0);
}

/// Fails on an image that begins with 1000, and notes in which threads it runs, and with how many
/// of LibTorch's own.
struct Watched {
  Model model() {
    return model_of({1, 2, 3}, [this](torch::nn::Module& module) {
      auto linear = module.register_module("linear", torch::nn::Linear(6, 10));
      return [this, linear](const Tensor& input) mutable {
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          inner.insert(at::get_num_threads());
        }
        if (input.flatten().eq(1000).any().item<bool>()) throw Error("saw image 1000");
        return linear->forward(input.flatten(1));
      };
    });
  }

  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<int> inner;
};

TEST(Replicated, ThrowsWhatAReplicaThrewAndGoesOn) {
  Watched watched;
  TrainedReplicas trained([&] { return watched.model(); }, 3);
  const Batch good = random_batch(trained.model, 7);
  trained.engine->gradient(good, kKey);
  const Tensor gradient = trained.parameters.gradients().clone();
  Batch bad{.input = good.input.clone(), .target = good.target};
  bad.input[6].fill_(1000);
  const GradientReady ready = [](std::int64_t, std::int64_t) {};
  for (const auto& listener : {GradientReady(), ready}) {
    EXPECT_THAT([&] { trained.engine->gradient(bad, kKey, listener); },
                testing::ThrowsMessage<Error>(HasSubstr("saw image 1000")));
    EXPECT_THROW(trained.engine->predict(bad.input), Error);
    trained.engine->gradient(good, kKey, listener);
    EXPECT_TRUE(trained.parameters.gradients().equal(gradient));
  }
}

TEST(Replicated, RunsAThreadPerReplicaWhichShareLibTorchsThreads) {
  const int before = at::get_num_threads();
  Watched watched;
  {
    TrainedReplicas trained([&] { return watched.model(); }, 3, 7);
    trained.engine->gradient(random_batch(trained.model, 7), kKey);
    EXPECT_EQ(trained.engine->describe(7), "eager, fp32, 3 replicas on the CPU, 2 threads each");
  }
  at::set_num_threads(before);
  EXPECT_EQ(watched.threads.size(), 3u);
  EXPECT_EQ(watched.inner, std::set<int>{2});
}

TEST(Replicated, LeavesFrozenParametersAlone) {
  const auto make = [] {
    Model model = named("lenet")();
    model.module->parameters().front().set_requires_grad(false);
    return model;
  };
  TrainedReplicas one(make, 1), many(make, 2);
  expect_equal_steps(one, many, {9, 4});
  const auto& slice = many.parameters.slices().front();
  EXPECT_TRUE(many.parameters.gradients().slice(0, 0, slice.elements).eq(0).all().item<bool>());
}

TEST(Replicated, SmoothsLabels) {
  const auto make = named("mlp");
  Model a = make(), b = make();
  FlatParameters one(*a.module), two(*b.module);
  const auto expected = make_eager_engine(a, one, {.loss = {.label_smoothing = 0.1}});
  const auto found = make_engine(b, two,
                                 {.kind = EngineKind::kEager,
                                  .replicas = 2,
                                  .loss = {.label_smoothing = 0.1},
                                  .another = make})
                         .engine;
  const Batch batch = random_batch(a, 7);
  EXPECT_NEAR(found->gradient(batch, kKey).loss.item<double>(),
              expected->gradient(batch, kKey).loss.item<double>(), 1e-5);
}

TEST(Replicated, RefusesACopyThatIsNone) {
  Model model = named("mlp")();
  const auto make_with = [&](const Make& another) {
    return [&model, another] {
      FlatParameters parameters(*model.module);
      make_engine(model, parameters,
                  {.kind = EngineKind::kEager, .replicas = 2, .another = another});
    };
  };
  EXPECT_THAT(make_with([&] { return model; }),
              testing::ThrowsMessage<UsageError>(HasSubstr("in use already")));
  EXPECT_THAT(make_with(named("lenet")),
              testing::ThrowsMessage<UsageError>(HasSubstr("other parameters")));
  EXPECT_THAT(make_with(nullptr),
              testing::ThrowsMessage<UsageError>(HasSubstr("EngineOptions::another")));
}

TEST(Replicated, RefusesToSynchroniseBatchNorm) {
  TrainedReplicas trained(named("resnet18"), 2);
  EXPECT_THAT([&] { trained.engine->synchronise_batch_norm([](const Tensor&) {}); },
              testing::ThrowsMessage<UsageError>(HasSubstr("--replicas 1")));
}

/// Models and engine on GPUs, against one replica on the first.
TEST(Replicated, EqualsOneReplicaOnGpus) {
  YOKE_NEEDS_GPUS(2);
  apply({.tf32 = Tf32::kNowhere});
  const auto on_gpu = [](const std::string& text) {
    return [text] {
      Model model = named(text)();
      model.module->to(torch::Device(torch::kCUDA, 0));
      return model;
    };
  };
  for (const char* const text : {"mlp", "lab-cnn:dropout=0", "lenet"}) {
    TrainedReplicas one(on_gpu(text), 1), many(on_gpu(text), 2);
    EXPECT_THAT(many.engine->describe(17), HasSubstr("cuda:0, cuda:1"));
    expect_equal_steps(one, many, {17, 6, 1, 2, 32});
  }
}

TEST(Replicated, RefusesMoreReplicasThanGpus) {
  YOKE_NEEDS_GPUS(1);
  const auto gpus = static_cast<int>(torch::cuda::device_count());
  Model model = named("mlp")();
  model.module->to(torch::kCUDA);
  FlatParameters parameters(*model.module);
  EXPECT_THAT(
      [&] { make_engine(model, parameters, {.replicas = gpus + 1, .another = named("mlp")}); },
      testing::ThrowsMessage<UsageError>(HasSubstr(fmt::format("--replicas {} or fewer", gpus))));
}

}  // namespace
}  // namespace yoke::test

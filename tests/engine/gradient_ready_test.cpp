// Gradients that engines tell of while the backward pass goes on.
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <memory>
#include <string_view>

#include "tests/engine/trained.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/replicated.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// What was told in one step.
struct Told {
  Tensor gradient;  ///< As each element was when it was told of.
  Tensor times;     ///< How often, by element.
  std::vector<std::int64_t> begins;
};

Told listen(Engine& engine, FlatParameters& parameters, const Batch& batch) {
  Told told{.gradient = torch::full({parameters.size()}, -1e9),
            .times = torch::zeros({parameters.size()}, torch::kInt64),
            .begins = {}};
  engine.gradient(batch, kKey, [&](std::int64_t begin, std::int64_t end) {
    const torch::NoGradGuard no_grad;
    told.gradient.slice(0, begin, end).copy_(parameters.gradients().slice(0, begin, end));
    told.times.slice(0, begin, end) += 1;
    told.begins.push_back(begin);
  });
  return told;
}

/// That all is told once, when it is final, the last layer's first, and is as without listening.
void expect_told(Engine& engine, FlatParameters& parameters, const Batch& batch) {
  engine.gradient(batch, kKey);
  const Tensor expected = parameters.gradients().clone();
  const Told told = listen(engine, parameters, batch);
  EXPECT_TRUE(told.times.eq(1).all().item<bool>());
  EXPECT_TRUE(told.gradient.equal(parameters.gradients()));
  EXPECT_TRUE(parameters.gradients().equal(expected));
  EXPECT_GT(told.begins.front(), told.begins.back());
}

TEST(GradientReady, IsToldByTheEagerEngine) {
  for (const char* const text : {"mlp", "lab-cnn", "resnet18"}) {
    Model model = make_model(text, {{3, 13, 13}, 10}, 3);
    FlatParameters parameters(*model.module);
    const auto engine = make_eager_engine(model, parameters);
    for (const std::int64_t images : {17, 5}) {
      expect_told(*engine, parameters, random_batch(model, images));
    }
  }
}

TEST(GradientReady, IsToldByReplicasOfTheEagerEngine) {
  for (const char* const text : {"mlp", "lab-cnn", "resnet18"}) {
    const auto make = [text] { return make_model(text, {{3, 13, 13}, 10}, 3); };
    Model model = make();
    FlatParameters parameters(*model.module);
    const auto engine = make_replicated_engine(
        model, parameters,
        {.devices = std::vector<torch::Device>(3, torch::kCPU), .another = make});
    for (const std::int64_t images : {7, 2}) {
      expect_told(*engine, parameters, random_batch(model, images));
    }
  }
}

TEST(GradientReady, IsToldByTheCompiledEngine) {
  for (const char* const text : {"mlp", "lab-cnn", "resnet18"}) {
    for (const int replicas : {1, 3}) {
      for (const bool early : {false, true}) {
        if (early && text == std::string_view("resnet18")) continue;  // which has none
        Compiled compiled(make_model(text, {{3, 13, 13}, 10}, 3),
                          {.replicas = replicas, .micro_batch = 4, .early_gradients = early});
        for (const std::int64_t images : {17, 3}) {
          expect_told(*compiled.engine, compiled.parameters, random_batch(compiled.model, images));
        }
      }
    }
  }
}

/// A linear layer that is used, and one that is not.
Model with_an_unused_layer() {
  return model_of({1, 2, 3}, [](torch::nn::Module& module) {
    auto used = module.register_module("used", torch::nn::Linear(6, 10));
    module.register_module("unused", torch::nn::Linear(4, 4));
    return [used](const Tensor& input) mutable { return used->forward(input.flatten(1)); };
  });
}

TEST(GradientReady, IsToldOfParametersThatTakeNoPart) {
  Compiled compiled(with_an_unused_layer(), {.replicas = 2});
  Model model = with_an_unused_layer();
  FlatParameters parameters(*model.module);
  const auto eager = make_eager_engine(model, parameters);
  const Batch batch = random_batch(model, 6);
  const Told a = listen(*compiled.engine, compiled.parameters, batch);
  const Told b = listen(*eager, parameters, batch);
  EXPECT_TRUE(a.times.eq(1).all().item<bool>());
  EXPECT_TRUE(b.times.eq(1).all().item<bool>());
  EXPECT_TRUE(a.gradient.slice(0, 70).eq(0).all().item<bool>());
}

TEST(GradientReady, SharesOfABatchAddUpToIt) {
  for (const bool eager : {true, false}) {
    Model model = make_model("lenet", {{1, 28, 28}, 10}, 3);
    FlatParameters parameters(*model.module);
    const auto engine =
        eager ? make_eager_engine(model, parameters)
              : std::unique_ptr<Engine>(make_compiled_engine(model, parameters, {.replicas = 2}));
    const Batch whole = random_batch(model, 20);
    const Tensor loss = engine->gradient(whole, kKey).loss;
    const Tensor gradient = parameters.gradients().clone();
    Tensor losses = torch::zeros({}), sum = torch::zeros_like(gradient);
    for (const auto& [begin, end] : {std::pair{0, 13}, {13, 13}, {13, 20}}) {
      losses += engine->gradient(whole.slice(begin, end), kKey).loss;
      sum += parameters.gradients();
    }
    EXPECT_NEAR(losses.item<double>(), loss.item<double>(), 1e-5);
    EXPECT_LT(relative_difference(sum, gradient), 1e-5);
  }
}

}  // namespace
}  // namespace yoke::test

// tests/engine/precision_test.cpp: the eager engine in 16 bits.
#include "yoke/engine/precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/normalised_network.h"
#include "tests/engine/trained.h"
#include "tests/support/gpus.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/gpu_settings.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

/// The network with an eager engine.
struct Eager {
  explicit Eager(EagerOptions options, torch::Device device = torch::kCPU)
      : model(on(device)), parameters(*model.module) {
    options.another = normalised_network;
    engine = make_eager_engine(model, parameters, options);
  }

  static Model on(torch::Device device) {
    Model model = normalised_network();
    model.module->to(device);
    return model;
  }

  Tensor gradient(const Batch& batch) {
    loss = engine->gradient(batch, kKey).loss.item<double>();
    return parameters.gradients().clone();
  }

  Tensor slice_of(const Tensor& flat, const std::string& name) const {
    for (const auto& slice : parameters.slices()) {
      if (slice.name == name) return flat.narrow(0, slice.offset, slice.elements);
    }
    return {};
  }

  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
  double loss = 0;
};

Batch images(std::int64_t count = 17) { return random_batch(normalised_network(), count); }

double distance(const Tensor& actual, const Tensor& expected) {
  return ((actual - expected).norm() / expected.norm()).item<double>();
}

/// What a few roundings of half a unit in the last of 11 or 8 bits come to, several layers deep.
constexpr double kHalf = 4.0 / 2048, kBfloat = 8.0 / 256;

Tensor rounded(const Tensor& numbers) { return numbers.to(torch::kHalf).to(torch::kFloat32); }

/// The parameters that o2 computes with.
void round_parameters(Eager& run) {
  const torch::NoGradGuard no_grad;
  for (const auto& slice : run.parameters.slices()) {
    Tensor part = run.parameters.values().narrow(0, slice.offset, slice.elements);
    if (slice.name.find("norm") == std::string::npos) part.copy_(rounded(part));
  }
}

TEST(O2, GivesTheGradientOfFp32AtRoundedParameters) {
  Eager plain({}), half({.precision = Precision::kO2});
  round_parameters(plain);
  for (const std::int64_t count : {17, 2}) {
    Batch batch = images(count);
    const Tensor found = half.gradient(batch);
    batch.input = rounded(batch.input);  // else rounding flips a ReLU here and there
    const Tensor expected = plain.gradient(batch);
    EXPECT_LT(distance(found, expected), kHalf) << count;
    EXPECT_GT(distance(found, expected), 0) << "nothing was rounded";
    EXPECT_NEAR(half.loss, plain.loss, kHalf * plain.loss);
  }
}

TEST(O2, RoundsAllParametersButThoseOfBatchNorm) {
  Eager plain({}), half({.precision = Precision::kO2});
  const torch::NoGradGuard no_grad;
  Tensor& values = plain.parameters.values();
  round_parameters(plain);
  EXPECT_FALSE(values.equal(half.parameters.values()));
  const Tensor norm = half.slice_of(half.parameters.values(), "norm.weight");
  norm.add_(1e-5);  // less than fp16 can tell
  plain.slice_of(values, "norm.weight").add_(1e-5);
  const Tensor input = rounded(images().input);
  const Tensor expected = rounded(plain.engine->predict(input));
  EXPECT_TRUE(half.engine->predict(input).equal(expected));
}

TEST(O2, TakesParametersAndBuffersAsTheyAre) {
  Eager plain({}), half({.precision = Precision::kO2});
  for (auto* run : {&plain, &half}) {
    run->gradient(images());
    run->parameters.values().mul_(1.5);
  }
  const auto expected = plain.model.module->buffers(), found = half.model.module->buffers();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(found[i].allclose(expected[i], kHalf, kHalf)) << i;
  }
  EXPECT_GT(found[0].abs().max().item<double>(), 0) << "running means have not moved";
  const Tensor input = images().input;
  EXPECT_LT(distance(half.engine->predict(input), plain.engine->predict(input)), kHalf);
}

TEST(O2, MultipliesTheGradientByTheScale) {
  double scale = 1;
  Eager half({.precision = Precision::kO2, .loss_scale = [&] { return scale; }});
  const Tensor once = half.gradient(images());
  const double loss = half.loss;
  scale = 1024;
  // Numbers below 2^-14 have fewer bits at scale 1.
  EXPECT_LT(distance(half.gradient(images()) / scale, once), 1e-3);
  EXPECT_EQ(half.loss, loss) << "the loss that is reported is not scaled";
  scale = 1LL << 40;
  EXPECT_FALSE(half.gradient(images()).isfinite().all().item<bool>());
  Eager plain({.loss_scale = [&] { return scale; }});
  EXPECT_TRUE(plain.gradient(images()).isfinite().all().item<bool>());
}

TEST(O2, KeepsSmallGradientsThatFp16WouldLose) {
  double scale = 1;
  EagerOptions options{.precision = Precision::kO2, .loss_scale = [&] { return scale; }};
  Eager half(options);
  Batch batch = images(4);
  batch.first_image = 0;
  batch.step_images = 1 << 22;  // of so many over all ranks: gradients below 2^-24
  EXPECT_LT(half.gradient(batch).abs().max().item<double>(), 1e-6);
  const Tensor lost = half.parameters.gradients().eq(0).sum();
  scale = 65536;
  const Tensor kept = half.gradient(batch).eq(0).sum();
  EXPECT_LT(kept.item<std::int64_t>(), lost.item<std::int64_t>());
}

TEST(O2, TellsOfEachRangeOnceWhenItIsThere) {
  Eager half({.precision = Precision::kO2});
  const Tensor expected = half.gradient(images());
  Tensor told = torch::full_like(expected, -1), times = torch::zeros_like(expected);
  half.engine->gradient(images(), kKey, [&](std::int64_t begin, std::int64_t end) {
    const torch::NoGradGuard no_grad;
    told.slice(0, begin, end).copy_(half.parameters.gradients().slice(0, begin, end));
    times.slice(0, begin, end) += 1;
  });
  EXPECT_TRUE(times.eq(1).all().item<bool>());
  EXPECT_TRUE(told.equal(expected));
}

TEST(O2, LeavesFrozenParametersAlone) {
  Model model = normalised_network();
  model.module->parameters().front().set_requires_grad(false);
  FlatParameters parameters(*model.module);
  const auto engine = make_eager_engine(
      model, parameters, {.precision = Precision::kO2, .another = normalised_network});
  engine->gradient(images(), kKey);
  const auto& slice = parameters.slices().front();
  EXPECT_EQ(parameters.gradients().narrow(0, 0, slice.elements).abs().sum().item<double>(), 0);
  EXPECT_GT(parameters.gradients().abs().sum().item<double>(), 0);
}

TEST(O2, RefusesToRunWithoutACopy) {
  Model model = normalised_network();
  FlatParameters parameters(*model.module);
  const auto make = [&](const std::function<Model()>& another) {
    return [&, another] {
      make_engine(model, parameters, {.precision = Precision::kO2, .another = another});
    };
  };
  EXPECT_THAT(make({}), testing::ThrowsMessage<UsageError>(HasSubstr("EngineOptions::another")));
  EXPECT_THAT(make([&] { return model; }),
              testing::ThrowsMessage<UsageError>(HasSubstr("in use already")));
}

TEST(O1, GivesTheGradientOfFp32ButForRounding) {
  Eager plain({}), cast({.precision = Precision::kO1});
  const Tensor expected = plain.gradient(images());
  const Tensor found = cast.gradient(images());
  EXPECT_LT(distance(found, expected), kBfloat);
  EXPECT_GT(distance(found, expected), 1e-4) << "nothing was cast";
  EXPECT_EQ(cast.engine->predict(images().input).scalar_type(), torch::kFloat32);
  EXPECT_EQ(torch::linear(torch::ones({2, 3}), torch::ones({4, 3})).scalar_type(), torch::kFloat32)
      << "casts ended with the forward pass";
}

class OnReplicas : public testing::TestWithParam<Precision> {};

TEST_P(OnReplicas, GivesTheGradientOfOne) {
  const auto make = [] { return make_model("lenet", {{1, 28, 28}, 10}, 1); };
  const auto gradient = [&](int replicas, const Batch& batch) {
    Model model = make();
    FlatParameters parameters(*model.module);
    const auto choice = make_engine(
        model, parameters,
        {.precision = GetParam(), .replicas = replicas, .another = make, .loss_scale = [] {
           return 256.0;
         }});
    EXPECT_EQ(choice.kind, EngineKind::kEager);
    choice.engine->gradient(batch, kKey);
    return parameters.gradients().clone();
  };
  const Batch batch = random_batch(make(), 9);
  const double tolerance = GetParam() == Precision::kO2 ? kHalf : kBfloat;
  EXPECT_LT(distance(gradient(3, batch), gradient(1, batch)), tolerance);
}

INSTANTIATE_TEST_SUITE_P(Precisions, OnReplicas, testing::Values(Precision::kO1, Precision::kO2),
                         [](const auto& info) {
                           return info.param == Precision::kO1 ? "o1" : "o2";
                         });

TEST(Precision, IsRefusedByTheCompiledEngineWhereItIsOfAutograd) {
  for (const Precision precision : {Precision::kO1, Precision::kO2}) {
    Model model = normalised_network();
    FlatParameters parameters(*model.module);
    EXPECT_THAT(
        [&] {
          make_engine(model, parameters, {.kind = EngineKind::kCompiled, .precision = precision});
        },
        testing::ThrowsMessage<UsageError>(HasSubstr("--engine eager")));
  }
}

TEST(Precision, ScalesLossesOfFp16Alone) {
  const torch::Device cpu = torch::kCPU, gpu = torch::kCUDA;
  EXPECT_TRUE(scales_loss(Precision::kO2, cpu) && scales_loss(Precision::kO2, gpu));
  EXPECT_TRUE(scales_loss(Precision::kO1, gpu));
  EXPECT_FALSE(scales_loss(Precision::kO1, cpu)) << "that is bf16";
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    EXPECT_FALSE(scales_loss(precision, cpu) || scales_loss(precision, gpu));
  }
}

class OnAGpu : public testing::TestWithParam<Precision> {};

TEST_P(OnAGpu, GivesTheGradientOfFp32ButForRounding) {
  YOKE_NEEDS_GPUS(1);
  apply({.tf32 = Tf32::kNowhere});
  Eager plain({}, torch::kCUDA);
  Eager narrow({.precision = GetParam(), .loss_scale = [] { return 1024.0; }}, torch::kCUDA);
  for (auto* run : {&plain, &narrow}) round_parameters(*run);
  Batch batch = images();
  batch.input = rounded(batch.input);  // else rounding flips a ReLU here and there
  const Tensor expected = plain.gradient(batch);
  const Tensor found = narrow.gradient(batch) / 1024;
  apply({});
  EXPECT_LT(distance(found, expected), GetParam() == Precision::kBf16 ? kBfloat : 4 * kHalf);
  EXPECT_GT(distance(found, expected), 1e-6) << "nothing was rounded";
}

INSTANTIATE_TEST_SUITE_P(Precisions, OnAGpu,
                         testing::Values(Precision::kBf16, Precision::kO1, Precision::kO2),
                         [](const auto& info) {
                           return info.param == Precision::kBf16 ? "bf16"
                                  : info.param == Precision::kO1 ? "o1"
                                                                 : "o2";
                         });

}  // namespace
}  // namespace yoke::test

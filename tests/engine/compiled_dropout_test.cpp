// tests/engine/compiled_dropout_test.cpp: what the compiled engine drops.
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;

constexpr StepKey kDropoutKey{.seed = 3, .step = 8};
constexpr double kProbability = 0.3;

/// Multiplies each of `channels` channels by a weight of its own, 1, and drops: the scores are the
/// image where it was kept, and the gradient of a weight is that of its channel.
Model weights_and_dropout(std::int64_t channels, std::int64_t size, bool whole_channels) {
  return model_of({channels, size, size}, [&](torch::nn::Module& module) {
    const auto options =
        torch::nn::Conv2dOptions(channels, channels, 1).groups(channels).bias(false);
    auto scale = module.register_module("scale", torch::nn::Conv2d(options));
    torch::nn::init::ones_(scale->weight);
    return [=](Tensor x) mutable {
      x = scale->forward(x);
      x = whole_channels ? torch::feature_dropout(x, kProbability, scale->is_training())
                         : torch::dropout(x, kProbability, scale->is_training());
      return x.flatten(1);
    };
  });
}

Batch ones_for(const Model& model, std::int64_t count) {
  const auto& [channels, height, width] = model.input;
  return {.input = torch::ones({count, channels, height, width}),
          .target = torch::zeros({count}, torch::kInt64)};
}

TEST(CompiledDropout, KeepsItsShareAndScalesIt) {
  Compiled compiled(weights_and_dropout(33, 17, false));
  const Tensor scores = compiled.engine->gradient(ones_for(compiled.model, 5), kDropoutKey).scores;
  const Tensor kept = scores.ne(0);
  // 47,685 draws have a standard deviation of 0.0021.
  EXPECT_NEAR(kept.to(torch::kFloat64).mean().item<double>(), 1 - kProbability, 0.01);
  EXPECT_TRUE(torch::allclose(scores.masked_select(kept), torch::full({}, 1 / (1 - kProbability))));
  EXPECT_TRUE(compiled.engine->predict(ones_for(compiled.model, 5).input).eq(1).all().item<bool>());
}

/// Of each image all or nothing: by noise as Python's libraries write it, or by feature_dropout.
Model dropped_images(bool by_noise) {
  return model_of({5, 3, 3}, [&](torch::nn::Module& module) {
    const auto options = torch::nn::Conv2dOptions(5, 5, 1).groups(5).bias(false);
    auto scale = module.register_module("scale", torch::nn::Conv2d(options));
    torch::nn::init::ones_(scale->weight);
    return [=](Tensor x) mutable {
      x = scale->forward(x);
      if (!scale->is_training()) return x.flatten(1);
      if (!by_noise) {
        return torch::feature_dropout(x.unsqueeze(1), kProbability, true).squeeze(1).flatten(1);
      }
      const Tensor noise = torch::empty({x.size(0), 1, 1, 1}).bernoulli_(1 - kProbability);
      return (noise.div_(1 - kProbability) * x).flatten(1);
    };
  });
}

TEST(CompiledDropout, IsNoiseOfImagesAsPythonWritesIt) {
  Compiled noise(dropped_images(true)), dropout(dropped_images(false));
  const Batch batch = ones_for(noise.model, 40);
  const Tensor scores = noise.engine->gradient(batch, kDropoutKey).scores;
  EXPECT_TRUE(scores.equal(dropout.engine->gradient(batch, kDropoutKey).scores));
  EXPECT_TRUE(noise.gradient_of("scale.weight").equal(dropout.gradient_of("scale.weight")));
  const Tensor kept = scores.ne(0);
  EXPECT_TRUE(kept.all(1).equal(kept.any(1)));
  EXPECT_TRUE(kept.any().item<bool>() && !kept.all().item<bool>());
  EXPECT_EQ(noise.engine->describe(40).find("LibTorch"), std::string::npos);
}

TEST(CompiledDropout, GivesNoGradientExactlyWhereItDropped) {
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    if (!why_not(precision).empty()) continue;
    Compiled compiled(weights_and_dropout(129, 1, false), {.precision = precision});
    const auto forward = compiled.engine->gradient(ones_for(compiled.model, 1), kDropoutKey);
    EXPECT_TRUE(torch::equal(forward.scores[0].ne(0), compiled.gradient_of("scale.weight").ne(0)));
    EXPECT_TRUE(forward.scores.eq(0).any().item<bool>());
  }
}

TEST(CompiledDropout, DropsWholeChannelsWhenAsked) {
  Compiled compiled(weights_and_dropout(33, 3, true));
  const auto forward = compiled.engine->gradient(ones_for(compiled.model, 40), kDropoutKey);
  const Tensor kept = forward.scores.view({40, 33, 9}).ne(0).to(torch::kFloat64).mean(2);
  EXPECT_TRUE((kept.eq(0) | kept.eq(1)).all().item<bool>());
  // 1,320 draws have a standard deviation of 0.013.
  EXPECT_NEAR(kept.mean().item<double>(), 1 - kProbability, 0.06);
}

TEST(CompiledDropout, DropsAllOfAnImageBehindOneDimension) {
  Compiled compiled(model_of({5, 3, 3}, [&](torch::nn::Module& module) {
    auto scale = module.register_module(
        "scale", torch::nn::Conv2d(torch::nn::Conv2dOptions(5, 5, 1).groups(5).bias(false)));
    torch::nn::init::ones_(scale->weight);
    return [=](Tensor x) mutable {
      x = scale->forward(x).unsqueeze(1);
      return torch::feature_dropout(x, kProbability, scale->is_training()).squeeze(1).flatten(1);
    };
  }));
  const Batch batch = ones_for(compiled.model, 1000);
  const Tensor scores = compiled.engine->gradient(batch, kDropoutKey).scores;
  const Tensor kept = scores.ne(0).to(torch::kFloat64).mean(1);
  EXPECT_TRUE((kept.eq(0) | kept.eq(1)).all().item<bool>());
  // 1,000 draws have a standard deviation of 0.015.
  EXPECT_NEAR(kept.mean().item<double>(), 1 - kProbability, 0.06);
  EXPECT_TRUE(torch::allclose(scores.amax(), torch::full({}, 1 / (1 - kProbability))));
}

TEST(CompiledDropout, DropsEqualsWhateverReplicasAndMicroBatch) {
  const auto make = [] { return make_model("lab-cnn", {{1, 28, 28}, 10}, 3); };
  Compiled whole(make());
  const Batch batch = random_batch(whole.model, 17);
  const Tensor scores = whole.engine->gradient(batch, kDropoutKey).scores;
  for (const CompiledOptions& options :
       {CompiledOptions{.replicas = 2}, CompiledOptions{.replicas = 3},
        CompiledOptions{.micro_batch = 5}, CompiledOptions{.replicas = 3, .micro_batch = 2}}) {
    Compiled parts(make(), options);
    EXPECT_LT(relative_difference(parts.engine->gradient(batch, kDropoutKey).scores, scores), 1e-5);
    EXPECT_LT(relative_difference(parts.parameters.gradients(), whole.parameters.gradients()), 1e-5)
        << options.replicas << " replicas, micro-batches of " << options.micro_batch;
  }
}

TEST(CompiledDropout, DropsOthersWhenAnyPartOfTheKeyDiffers) {
  Compiled compiled(weights_and_dropout(33, 3, false));
  const Batch batch = ones_for(compiled.model, 2);
  const Tensor scores = compiled.engine->gradient(batch, kDropoutKey).scores;
  for (const StepKey key : {StepKey{.seed = 4, .step = 8}, StepKey{.seed = 3, .step = 9}}) {
    const Tensor others = compiled.engine->gradient(batch, key).scores;
    EXPECT_FALSE(torch::equal(others, scores));
  }
  EXPECT_FALSE(torch::equal(scores[0], scores[1]));
  EXPECT_TRUE(torch::equal(compiled.engine->gradient(batch, kDropoutKey).scores, scores));
}

TEST(CompiledDropout, DropsOthersInEachLayer) {
  Compiled compiled(model_of({1, 9, 9}, [](torch::nn::Module& module) {
    auto scale = module.register_module(
        "scale", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 1, 1).bias(false)));
    torch::nn::init::ones_(scale->weight);
    return [=](Tensor x) mutable {
      x = scale->forward(x);
      return torch::cat({torch::dropout(x, 0.5, true), torch::dropout(x, 0.5, true)}, 1).flatten(1);
    };
  }));
  const Tensor scores = compiled.engine->gradient(ones_for(compiled.model, 1), kDropoutKey).scores;
  EXPECT_FALSE(torch::equal(scores.slice(1, 0, 81), scores.slice(1, 81)));
}

}  // namespace
}  // namespace yoke::test

// tests/engine/loss_test.cpp: mixed images and weighted classes, in every engine.
#include "yoke/engine/loss.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

using torch::Tensor;

const Tensor kWeights =
    torch::tensor({0.5F, 2.0F, 0.0F, 1.0F, 1.0F, 3.0F, 1.0F, 0.25F, 1.0F, 1.0F});

Batch mixed_batch(std::int64_t images, std::int64_t classes) {
  torch::manual_seed(2);
  Batch batch{torch::randn({images, 3, 9, 11}), torch::randint(classes, {images})};
  batch.other_target = torch::randint(classes, {images});
  batch.other_share = torch::rand({images}) / 2;
  return batch;
}

/// -sum_k t_k w_k sum_c ((1 - smoothing) [c = k] + smoothing / classes) log p_c, an image at a
/// time, in fp64.
double closed_form(const Tensor& scores, const Batch& batch, const LossOptions& options) {
  const Tensor log_probabilities = scores.to(torch::kFloat64).log_softmax(1);
  double sum = 0;
  for (std::int64_t n = 0; n < batch.size(); ++n) {
    const auto target = batch.target[n].item<std::int64_t>();
    const bool mixed = batch.mixed();
    const auto other = mixed ? batch.other_target[n].item<std::int64_t>() : -1;
    const double share = mixed ? batch.other_share[n].item<double>() : 0;
    const auto add = [&](std::int64_t k, double of_image) {
      const Tensor weights = options.class_weights;
      const double weight = weights.defined() ? weights[k].item<double>() : 1;
      const double own = log_probabilities[n][k].item<double>();
      const double even = log_probabilities[n].mean().item<double>();
      const double s = options.label_smoothing;
      sum -= of_image * weight * ((1 - s) * own + s * even);
    };
    add(target, 1 - share);
    if (mixed) add(other, share);
  }
  return sum / static_cast<double>(batch.size());
}

TEST(MeanLoss, IsItsClosedForm) {
  const Batch mixed = mixed_batch(7, 10);
  Batch plain = mixed;
  plain.other_target = plain.other_share = Tensor();
  const Tensor scores = torch::randn({7, 10}) * 3;
  for (const double smoothing : {0.0, 0.1}) {
    for (const Tensor& weights : {Tensor(), kWeights}) {
      const LossOptions options{.label_smoothing = smoothing, .class_weights = weights};
      for (const Batch& batch : {plain, mixed}) {
        EXPECT_NEAR(mean_loss(scores, batch, options).item<double>(),
                    closed_form(scores, batch, options), 2e-6);
      }
    }
  }
}

TEST(MeanLoss, OfAClassMixedWithItselfIsThatOfTheClass) {
  Batch batch = mixed_batch(5, 10);
  batch.other_target = batch.target;
  Batch plain = batch;
  plain.other_target = plain.other_share = Tensor();
  const Tensor scores = torch::randn({5, 10});
  EXPECT_NEAR(mean_loss(scores, batch, {}).item<double>(),
              mean_loss(scores, plain, {}).item<double>(), 1e-6);
}

struct LossCase {
  const char* name;
  bool mixed;
  LossOptions loss;
};

class EveryLoss : public testing::TestWithParam<LossCase> {};

TEST_P(EveryLoss, IsAlikeInTheCompiledEngineAndTheEagerOne) {
  const auto make = [] { return make_model("lab-cnn:dropout=0", {{3, 9, 11}, 10}, 3); };
  const Comparison comparison{.loss = GetParam().loss, .mixed = GetParam().mixed};
  compare_with_eager(make, comparison);
  Comparison parts = comparison;
  parts.replicas = 3;
  parts.micro_batch = 2;
  compare_with_eager(make, parts);
}

TEST_P(EveryLoss, IsAlikeInReplicasOfTheEagerEngine) {
  const auto make = [] { return make_model("mlp", {{3, 9, 11}, 10}, 3); };
  Model a = make(), b = make();
  FlatParameters one(*a.module), two(*b.module);
  const auto expected = make_eager_engine(a, one, {.loss = GetParam().loss});
  const auto found =
      make_engine(
          b, two,
          {.kind = EngineKind::kEager, .replicas = 2, .loss = GetParam().loss, .another = make})
          .engine;
  Batch batch = mixed_batch(7, 10);
  if (!GetParam().mixed) batch.other_target = batch.other_share = Tensor();
  EXPECT_NEAR(found->gradient(batch, {}).loss.item<double>(),
              expected->gradient(batch, {}).loss.item<double>(), 1e-5);
  EXPECT_LT((one.gradients() - two.gradients()).abs().max().item<double>(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Of, EveryLoss,
    testing::Values(LossCase{"mixed", true, {}},
                    LossCase{"smoothed", true, {.label_smoothing = 0.1}},
                    LossCase{"weighted", false, {.class_weights = kWeights}},
                    LossCase{"all", true, {.label_smoothing = 0.1, .class_weights = kWeights}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(MixedBatch, OfAClassThatIsNoneIsRefused) {
  Model model = make_model("mlp", {{3, 9, 11}, 10}, 3);
  FlatParameters parameters(*model.module);
  const auto engine = make_compiled_engine(model, parameters, {});
  Batch batch = mixed_batch(3, 10);
  batch.other_target[1] = 10;
  EXPECT_THROW(engine->gradient(batch, {}), Error);
}

TEST(MixedBatch, IsSlicedWhole) {
  const Batch batch = mixed_batch(6, 10), part = batch.slice(2, 5);
  EXPECT_TRUE(part.other_target.equal(batch.other_target.slice(0, 2, 5)));
  EXPECT_TRUE(part.other_share.equal(batch.other_share.slice(0, 2, 5)));
  EXPECT_EQ(part.whole(), 6);
  EXPECT_TRUE(part.alone().mixed());
  EXPECT_EQ(part.alone().whole(), 3);
}

}  // namespace
}  // namespace yoke::test

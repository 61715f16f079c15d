// tests/conformance/replicas_test.cpp: replicas of the eager engine, for every model of the
// registry.
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "tests/support/model_forms.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/replicated.h"
#include "yoke/models/model.h"

namespace yoke {
namespace {

using torch::Tensor;

class ReplicaConformance : public testing::TestWithParam<std::string> {
 protected:
  static Model make() { return make_model(GetParam(), {{3, 32, 32}, 7}, 1); }

  static Batch batch(const Model& model, std::int64_t images) {
    torch::manual_seed(5);
    const auto& [channels, height, width] = model.input;
    return {torch::randn({images, channels, height, width}), torch::arange(images) % 7};
  }
};

/// Loss, scores and gradient of one engine, by parts: models with buffers normalise over the images
/// that are computed together.
struct Result {
  Tensor loss = torch::zeros({});
  Tensor scores, gradient;
};

Result in_parts(Engine& engine, const Tensor& gradients, const Batch& batch,
                const std::vector<std::int64_t>& bounds) {
  Result result{.scores = {}, .gradient = torch::zeros_like(gradients)};
  std::vector<Tensor> scores;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Forward part = engine.gradient(batch.slice(bounds[i], bounds[i + 1]), {});
    result.loss = result.loss + part.loss;
    result.gradient += gradients;
    scores.push_back(part.scores);
  }
  result.scores = torch::cat(scores);
  return result;
}

/// That `found` is within 2^-12 of the largest number of `expected`: a hundred roundings or so in
/// each of the layers, which other orders of adding up make.
void expect_near(const Tensor& found, const Tensor& expected) {
  const double largest = expected.abs().max().item<double>();
  EXPECT_LE((found - expected).abs().max().item<double>(), largest / 4096 + 1e-7);
}

TEST_P(ReplicaConformance, EqualOneWithItsPartsOfTheBatch) {
  Model one = make(), many = make();
  FlatParameters a(*one.module), b(*many.module);
  const auto alone = make_eager_engine(one, a, {.seeding = Seeding::kCaller});
  const auto replicas = make_replicated_engine(
      many, b, {.devices = std::vector<torch::Device>(2, torch::kCPU), .another = make});
  const bool normalises = !one.module->buffers().empty();
  const Batch images = batch(one, 9);
  const auto bounds =
      normalises ? std::vector<std::int64_t>{0, 5, 9} : std::vector<std::int64_t>{0, 9};
  const Result expected = in_parts(*alone, a.gradients(), images, bounds);
  const Forward found = replicas->gradient(images, {});
  EXPECT_NEAR(found.loss.item<double>(), expected.loss.item<double>(), 1e-4);
  expect_near(found.scores, expected.scores);
  expect_near(b.gradients(), expected.gradient);
}

TEST_P(ReplicaConformance, PredictAsOne) {
  Model one = make(), many = make();
  FlatParameters a(*one.module), b(*many.module);
  const auto alone = make_eager_engine(one, a);
  const auto replicas = make_replicated_engine(
      many, b, {.devices = std::vector<torch::Device>(3, torch::kCPU), .another = make});
  for (const std::int64_t images : {8, 2}) {
    const Tensor input = batch(one, images).input;
    expect_near(replicas->predict(input), alone->predict(input));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ReplicaConformance, testing::ValuesIn(test::model_forms()),
                         [](const auto& info) { return test::test_name(info.param); });

}  // namespace
}  // namespace yoke

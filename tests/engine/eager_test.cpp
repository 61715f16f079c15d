#include "yoke/engine/eager/eager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include "tests/engine/trained.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/keyed_dropout.h"

namespace yoke {
namespace {

using test::kKey;

/// A model with its flat parameters and its engine.
struct Trained {
  explicit Trained(std::string_view text, double label_smoothing = 0,
                   const ModelInput& input = {{1, 12, 12}, 10})
      : model(make_model(text, input, 1)),
        parameters(*model.module),
        engine(
            make_eager_engine(model, parameters, {.loss = {.label_smoothing = label_smoothing}})) {}

  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
};

Batch make_batch(const Model& model, std::int64_t count) {
  torch::manual_seed(7);
  const auto& image = model.input;
  return {.input = torch::randn({count, image.channels, image.height, image.width}),
          .target = torch::randint(10, {count})};
}

/// Loss and gradient by plain autograd on a model of its own, as one vector.
std::pair<torch::Tensor, torch::Tensor> plain_gradient(std::string_view text, const Batch& batch) {
  const Model model = make_model(text, {{1, 12, 12}, 10}, 1);
  const KeyedDropout dropout(kKey, batch);
  const auto scores = model.forward(batch.input);
  const auto loss = -scores.log_softmax(1).gather(1, batch.target.unsqueeze(1)).mean();
  loss.backward();
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : model.module->parameters()) {
    gradients.push_back(parameter.grad().flatten());
  }
  return {loss.detach(), torch::cat(gradients)};
}

TEST(EagerEngine, GivesTheGradientOfPlainAutograd) {
  for (const char* text : {"mlp", "lab-cnn", "resnet18"}) {
    for (const std::int64_t count : {1, 17}) {
      Trained trained(text);
      const Batch batch = make_batch(trained.model, count);
      const Forward forward = trained.engine->gradient(batch, kKey);
      const auto [loss, gradient] = plain_gradient(text, batch);
      // Room for sums taken in another order: views of a flat vector are aligned differently.
      EXPECT_TRUE(torch::allclose(forward.loss, loss, 1e-5, 1e-6)) << text << ", " << count;
      EXPECT_TRUE(torch::allclose(trained.parameters.gradients(), gradient, 1e-4, 1e-6))
          << text << ", " << count;
      EXPECT_EQ(forward.scores.sizes(), (std::vector<std::int64_t>{count, 10}));
      EXPECT_EQ(forward.loss.dim(), 0);
      EXPECT_FALSE(forward.scores.requires_grad() || forward.loss.requires_grad());
    }
  }
}

TEST(EagerEngine, ReplacesTheGradientOfTheStepBefore) {
  Trained trained("mlp");
  const Batch batch = make_batch(trained.model, 4);
  trained.engine->gradient(batch, kKey);
  const auto first = trained.parameters.gradients().clone();
  trained.engine->gradient(batch, kKey);
  EXPECT_TRUE(torch::equal(trained.parameters.gradients(), first));
}

TEST(EagerEngine, GivesEqualBitsWhenTheKeyIsEqual) {
  Trained trained("lab-cnn");
  const Batch batch = make_batch(trained.model, 17);
  const auto loss = trained.engine->gradient(batch, kKey).loss;
  const auto gradient = trained.parameters.gradients().clone();
  torch::manual_seed(99);
  EXPECT_TRUE(torch::equal(trained.engine->gradient(batch, kKey).loss, loss));
  EXPECT_TRUE(torch::equal(trained.parameters.gradients(), gradient));
}

TEST(EagerEngine, DropsOthersWhenAnyPartOfTheKeyDiffers) {
  Trained trained("lab-cnn");
  const Batch batch = make_batch(trained.model, 17);
  const auto scores = trained.engine->gradient(batch, kKey).scores;
  for (const StepKey key : {StepKey{.seed = 4, .step = 8}, StepKey{.seed = 3, .step = 9}}) {
    EXPECT_FALSE(torch::equal(trained.engine->gradient(batch, key).scores, scores));
  }
  Batch later = batch;
  later.first_image = 17;
  later.step_images = 34;
  EXPECT_FALSE(torch::equal(trained.engine->gradient(later, kKey).scores, scores));
}

void expect_equal_in_parts(std::string_view text) {
  Trained trained(text);
  const Batch batch = make_batch(trained.model, 17);
  const auto scores = trained.engine->gradient(batch, kKey).scores;
  const auto gradient = trained.parameters.gradients().clone();
  std::vector<torch::Tensor> parts;
  torch::Tensor sum = torch::zeros_like(gradient);
  for (const auto& [begin, end] : {std::pair{0, 5}, {5, 6}, {6, 17}}) {
    parts.push_back(trained.engine->gradient(batch.slice(begin, end), kKey).scores);
    sum += trained.parameters.gradients();
  }
  EXPECT_LT(test::relative_difference(torch::cat(parts), scores), 2e-5) << text;
  EXPECT_LT(test::relative_difference(sum, gradient), 2e-5) << text;
}

TEST(EagerEngine, DropsAlikeHoweverAStepIsSharedOut) {
  expect_equal_in_parts("lab-cnn");
  expect_equal_in_parts("convnext-tiny:stochastic_depth=0.5");
}

TEST(EagerEngine, PredictsWithoutDropoutStatisticsOrGradient) {
  Trained trained("resnet18");
  const Batch batch = make_batch(trained.model, 5);
  trained.engine->gradient(batch, kKey);
  const auto gradient = trained.parameters.gradients().clone();
  std::vector<torch::Tensor> statistics;
  for (const auto& buffer : trained.model.module->buffers()) statistics.push_back(buffer.clone());
  const auto scores = trained.engine->predict(batch.input);
  EXPECT_TRUE(torch::allclose(scores[0], trained.engine->predict(batch.input.slice(0, 0, 1))[0],
                              1e-4, 1e-5));  // one image's scores do not depend on the others
  EXPECT_FALSE(scores.requires_grad());
  EXPECT_TRUE(torch::equal(trained.parameters.gradients(), gradient));
  const auto buffers = trained.model.module->buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_TRUE(torch::equal(buffers[i], statistics[i]));
  }
}

TEST(EagerEngine, TrainsAgainAfterPredicting) {
  Trained trained("lab-cnn");
  const Batch batch = make_batch(trained.model, 17);
  const auto scores = trained.engine->gradient(batch, kKey).scores;
  EXPECT_FALSE(torch::equal(trained.engine->predict(batch.input), scores));
  EXPECT_TRUE(torch::equal(trained.engine->gradient(batch, kKey).scores, scores));
}

TEST(EagerEngine, SmoothsLabels) {
  Trained trained("mlp", 0.1);
  const Batch batch = make_batch(trained.model, 6);
  const Forward forward = trained.engine->gradient(batch, kKey);
  const auto log_probabilities = forward.scores.log_softmax(1);
  const auto hard = -log_probabilities.gather(1, batch.target.unsqueeze(1)).mean();
  const auto uniform = -log_probabilities.mean();
  EXPECT_NEAR(forward.loss.item<double>(), 0.9 * hard.item<double>() + 0.1 * uniform.item<double>(),
              1e-6);
}

TEST(EagerEngine, NamesTheShapesWhenTheModelGivesNoScores) {
  Model model = make_model("mlp", {{1, 12, 12}, 10}, 1);
  model.forward = [](torch::Tensor images) { return images; };
  FlatParameters parameters(*model.module);
  const auto engine = make_eager_engine(model, parameters);
  EXPECT_THAT(
      [&] {
        engine->predict(torch::zeros({2, 1, 12, 12}));
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("[2, 1, 12, 12]")));
}

}  // namespace
}  // namespace yoke

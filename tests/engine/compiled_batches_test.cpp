// tests/engine/compiled_batches_test.cpp: one compiled engine through batches of many sizes.
#include <gtest/gtest.h>

#include "tests/engine/random_network.h"
#include "tests/engine/trained.h"
#include "yoke/engine/eager/eager.h"

namespace yoke::test {
namespace {

using torch::Tensor;

TEST(CompiledBatches, GiveEqualBitsWhenRepeated) {
  for (const char* const text : {"lab-cnn", "cifar-net", "resnet18"}) {
    Compiled compiled(make_model(text, {{3, 13, 13}, 10}, 3), {.replicas = 3});
    const Batch batch = random_batch(compiled.model, 17);
    const Forward first = compiled.engine->gradient(batch, kKey);
    const Tensor gradient = compiled.parameters.gradients().clone();
    for (const std::int64_t between : {0, 5, 32}) {
      if (between > 0) {
        const Batch other = random_batch(compiled.model, between, 9);
        compiled.engine->gradient(other, {});
        compiled.engine->predict(other.input);
      }
      const Forward again = compiled.engine->gradient(batch, kKey);
      EXPECT_TRUE(torch::equal(again.loss, first.loss)) << text << " after " << between;
      EXPECT_TRUE(torch::equal(again.scores, first.scores)) << text << " after " << between;
      EXPECT_TRUE(torch::equal(compiled.parameters.gradients(), gradient))
          << text << " after " << between;
    }
  }
}

/// Both engines, on models that start equal.
struct Engines {
  Engines(const std::function<Model()>& make, const CompiledOptions& options)
      : compiled(make(), options),
        model(make()),
        parameters(*model.module),
        eager(make_eager_engine(model, parameters)) {}

  Compiled compiled;
  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> eager;
};

/// How far the gradients for `batch` are apart; expects equal losses, scores and predictions.
double compare_gradients(Engines& engines, const Batch& batch) {
  const Forward expected = engines.eager->gradient(batch, kKey);
  const Forward actual = engines.compiled.engine->gradient(batch, kKey);
  EXPECT_NEAR(actual.loss.item<double>(), expected.loss.item<double>(), 1e-5);
  EXPECT_LT(relative_difference(actual.scores, expected.scores), 1e-4);
  const double difference =
      relative_difference(engines.compiled.parameters.gradients(), engines.parameters.gradients());
  EXPECT_LT(relative_difference(engines.compiled.engine->predict(batch.input),
                                engines.eager->predict(batch.input)),
            1e-4);
  return difference;
}

/// Expects equal gradients and predictions of both engines for batches of `sizes`, one after
/// another. Where a rounding switches a ReLU, or the pixel that a pooling takes, gradients differ
/// by much and nothing is wrong: by tiles, which round more, not so for two choices of images.
void expect_equal_to_eager(const std::function<Model()>& make, const CompiledOptions& options,
                           std::initializer_list<std::int64_t> sizes) {
  const bool direct = options.convolution == ConvolutionAlgorithm::kDirect;
  Engines engines(make, options);
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(size);
    double difference = 0;
    for (const std::uint64_t images : {7, 50}) {
      difference = compare_gradients(engines, random_batch(engines.model, size, images));
      if (difference < 1e-4 || direct) break;
    }
    EXPECT_LT(difference, 1e-4);
  }
}

TEST(CompiledBatches, EqualEagerWhenTheirSizesChange) {
  for (const char* const text : {"lab-cnn:dropout=0", "lenet"}) {
    for (const auto way : {ConvolutionAlgorithm::kAuto, ConvolutionAlgorithm::kDirect}) {
      SCOPED_TRACE(fmt::format("{}, way {}", text, static_cast<int>(way)));
      expect_equal_to_eager(
          [text] {
            return make_model(text, {{3, 32, 32}, 10}, 3);
          },
          {.replicas = 3, .convolution = way}, {4, 256, 96, 7, 1, 256});
    }
  }
}

TEST(CompiledBatches, OfRandomNetworksEqualEagerWhenTheirSizesChange) {
  for (std::uint64_t seed = 900; seed < 930; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, draw_network(seed, Norms::kNone).text));
    expect_equal_to_eager([seed] { return draw_network(seed, Norms::kNone).model; },
                          {.replicas = 3, .micro_batch = 9}, {4, 96, 7, 1, 41, 2, 96});
  }
}

TEST(CompiledBatches, GiveZeroWhenEmpty) {
  Compiled compiled(make_model("mlp", {{1, 12, 12}, 10}, 3), {.replicas = 2});
  compiled.engine->gradient(random_batch(compiled.model, 4), kKey);
  const Forward forward = compiled.engine->gradient(random_batch(compiled.model, 0), kKey);
  EXPECT_EQ(forward.loss.item<double>(), 0);
  EXPECT_EQ(forward.scores.sizes(), (std::vector<std::int64_t>{0, 10}));
  EXPECT_TRUE(compiled.parameters.gradients().eq(0).all().item<bool>());
  EXPECT_EQ(compiled.engine->predict(torch::empty({0, 1, 12, 12})).size(0), 0);
}

TEST(CompiledBatches, RefuseALabelThatIsNoClass) {
  Compiled compiled(make_model("lenet", {{1, 28, 28}, 10}, 3));
  for (const std::int64_t label : {std::int64_t{10}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    Batch batch = random_batch(compiled.model, 5);
    batch.target[2] = label;
    EXPECT_THROW(compiled.engine->gradient(batch, kKey), Error) << label;
  }
}

}  // namespace
}  // namespace yoke::test

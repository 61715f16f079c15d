// tests/engine/micro_batches_test.cpp: how many images a replica computes at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What the engine says of a batch of `images`.
std::string described(const char* model, std::int64_t images, const CompiledOptions& options = {}) {
  Compiled compiled(make_model(model, {{1, 28, 28}, 10}, 3), options);
  return compiled.engine->describe(images);
}

TEST(MicroBatches, BetweenNormsAreEqualParts) {
  constexpr const char* kModel = "bn-cnn:width=16";
  EXPECT_THAT(described(kModel, 18, {.micro_batch = 6}), HasSubstr("micro-batches of 6"));
  EXPECT_THAT(described(kModel, 18, {.micro_batch = 7}), HasSubstr("micro-batches of 6"));
  EXPECT_THAT(described(kModel, 36, {.replicas = 2, .micro_batch = 5}),
              HasSubstr("micro-batches of 3"));
}

TEST(MicroBatches, BetweenNormsAreThereWhereANetworkWaitsForMemory) {
  EXPECT_THAT(described("bn-cnn:width=16", 1 << 16), Not(HasSubstr("micro-batches of 65536")));
  EXPECT_THAT(described("airbench", 1 << 16), HasSubstr("micro-batches of 65536"));
}

TEST(MicroBatches, BetweenNormsAreLeftOutWhereNoneAreOfASizeThatFits) {
  constexpr const char* kPrime = "micro-batches of 65537";
  EXPECT_THAT(described("bn-cnn:width=16", 65537), HasSubstr(kPrime));
  EXPECT_THAT(described("lab-cnn", 65537), Not(HasSubstr(kPrime)));  // has no norms
}

TEST(MicroBatches, BetweenNormsGiveEqualBitsWhenRepeated) {
  Compiled compiled(make_model("bn-cnn:width=16", {{1, 28, 28}, 10}, 3),
                    {.replicas = 2, .micro_batch = 3});
  const Batch batch = random_batch(compiled.model, 18);
  const Forward first = compiled.engine->gradient(batch, kKey);
  const torch::Tensor gradient = compiled.parameters.gradients().clone();
  compiled.engine->gradient(random_batch(compiled.model, 12, 9), {});
  const Forward again = compiled.engine->gradient(batch, kKey);
  EXPECT_TRUE(torch::equal(again.loss, first.loss));
  EXPECT_TRUE(torch::equal(again.scores, first.scores));
  EXPECT_TRUE(torch::equal(compiled.parameters.gradients(), gradient));
}

TEST(MicroBatches, BetweenNormsAreAllInAProfile) {
  constexpr std::int64_t kImages = 18;
  Compiled compiled(make_model("bn-cnn:width=16", {{1, 28, 28}, 10}, 3), {.micro_batch = 3});
  double flops = 0;
  for (const StepCost& step : compiled.engine->profile(random_batch(compiled.model, kImages), 2)) {
    flops += step.flops;
  }
  EXPECT_DOUBLE_EQ(flops, compiled.engine->flops_per_image() * kImages);
}

}  // namespace
}  // namespace yoke::test

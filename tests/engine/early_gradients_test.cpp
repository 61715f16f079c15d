// tests/engine/early_gradients_test.cpp: gradients that are complete before the rest of the
// backward pass, for ranks that wait for them.
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;

Compiled engine_for(const char* model, bool early, const CompiledOptions& options = {}) {
  CompiledOptions own = options;
  own.early_gradients = early;
  return Compiled(make_model(model, {{3, 13, 13}, 10}, 3), own);
}

/// All but mlp, which is nothing else, end with most of their parameters.
TEST(EarlyGradients, AreThoseOfMicroBatchesOneByOne) {
  for (const char* const model : {"mlp", "lenet", "lab-cnn", "cifar-net"}) {
    for (const int replicas : {1, 3}) {
      auto usual = engine_for(model, false, {.replicas = replicas, .micro_batch = 3});
      auto early = engine_for(model, true, {.replicas = replicas, .micro_batch = 3});
      for (const std::int64_t images : {1, 5, 12, 25, 64}) {
        const Batch batch = random_batch(usual.model, images);
        const Forward expected = usual.engine->gradient(batch, kKey);
        const Forward found = early.engine->gradient(batch, kKey);
        const std::string where = std::string(model) + " of " + std::to_string(images);
        EXPECT_NEAR(found.loss.item<double>(), expected.loss.item<double>(), 1e-5) << where;
        EXPECT_LT(relative_difference(found.scores, expected.scores), 1e-5) << where;
        EXPECT_LT(relative_difference(early.parameters.gradients(), usual.parameters.gradients()),
                  1e-5)
            << where;
      }
    }
  }
}

TEST(EarlyGradients, AreRepeatedBitForBit) {
  auto compiled = engine_for("lab-cnn", true, {.replicas = 2, .micro_batch = 3});
  const Batch batch = random_batch(compiled.model, 31);
  compiled.engine->gradient(batch, kKey);
  const Tensor first = compiled.parameters.gradients().clone();
  compiled.engine->gradient(random_batch(compiled.model, 12, 9), {});
  compiled.engine->gradient(batch, kKey);
  EXPECT_TRUE(torch::equal(compiled.parameters.gradients(), first));
}

/// While it lives, counts what this thread does of the backward pass of `lenet`'s first layer.
class FirstLayersBackward {
 public:
  FirstLayersBackward()
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(count).scopes({at::RecordScope::USER_SCOPE}))) {
    count_ = 0;
  }
  ~FirstLayersBackward() { at::removeCallback(handle_); }
  FirstLayersBackward(const FirstLayersBackward&) = delete;
  FirstLayersBackward& operator=(const FirstLayersBackward&) = delete;

  static int so_far() { return count_; }

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
    const std::string name(function.name());
    count_ += name.starts_with("conv1 backward: ") && name.find("reorder") == std::string::npos;
    return nullptr;
  }

  static inline int count_ = 0;
  at::CallbackHandle handle_;
};

/// Steps of the first layer's backward pass before the last layer's gradient is told of, and after.
std::pair<int, int> around_the_last_layer(Compiled& compiled, std::int64_t images) {
  const std::int64_t last = compiled.parameters.slices().back().offset;
  const FirstLayersBackward seen;
  int before = -1;
  compiled.engine->gradient(random_batch(compiled.model, images), kKey,
                            [&](std::int64_t begin, std::int64_t) {
                              if (begin == last) before = FirstLayersBackward::so_far();
                            });
  return {before, FirstLayersBackward::so_far() - before};
}

TEST(EarlyGradients, AreToldBeforeTheBackwardPassOfWhatComesBefore) {
  auto usual = engine_for("lenet", false, {.micro_batch = 3});
  const auto [all_but_one, of_one] = around_the_last_layer(usual, 12);
  EXPECT_GE(of_one, 1);
  EXPECT_EQ(all_but_one, 3 * of_one) << "of four micro-batches";
  auto early = engine_for("lenet", true, {.micro_batch = 3});
  const auto [none, of_all] = around_the_last_layer(early, 12);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(of_all, 4 * of_one);
}

TEST(EarlyGradients, AreToldEarlyOfTwoUnlikeMicroBatches) {
  auto early = engine_for("lenet", true, {.micro_batch = 3});
  const auto [before, after] = around_the_last_layer(early, 5);
  EXPECT_GT(before, 0) << "of one image";
  EXPECT_EQ(after, 2 * before);
}

/// The results of lenet's first layers take some 30 KB an image.
TEST(EarlyGradients, AreNotWorthAnyAmountOfMemory) {
  auto early = engine_for("lenet", true, {.micro_batch = 3000});
  const auto [before, after] = around_the_last_layer(early, 6000);
  EXPECT_GT(before, 0);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace yoke::test

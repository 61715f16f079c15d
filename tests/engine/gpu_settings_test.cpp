#include "yoke/engine/eager/gpu_settings.h"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

/// Leaves LibTorch as PyTorch's users know it.
class Gpus : public testing::Test {
 protected:
  ~Gpus() override { apply({}); }
};

TEST_F(Gpus, ComputeInTf32WhereTheyAreTold) {
  const auto expect = [](const char* name, bool convolutions, bool products, const char* text) {
    apply({.tf32 = parse_word<Tf32>("--tf32", name)});
    EXPECT_EQ(at::globalContext().allowTF32CuDNN(), convolutions) << name;
    EXPECT_EQ(at::globalContext().allowTF32CuBLAS(), products) << name;
    EXPECT_EQ(describe_tf32(), text) << name;
  };
  expect("off", false, false, "");
  expect("on", true, true, "tf32");
  expect("auto", true, false, "tf32 in convolutions");
  EXPECT_THAT([] { parse_word<Tf32>("--tf32", "yes"); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("auto, on, off")));
}

TEST_F(Gpus, TryAlgorithmsUnlessResultsMustNotVary) {
  apply({});
  EXPECT_TRUE(at::globalContext().benchmarkCuDNN());
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
  apply({.deterministic = true});
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  EXPECT_TRUE(at::globalContext().deterministicCuDNN());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
}

TEST_F(Gpus, TryNoAlgorithmsInAShortRun) {
  apply({.trials = steps_repay_trials(2'000)});
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  EXPECT_FALSE(at::globalContext().deterministicCuDNN());
  apply({.trials = steps_repay_trials(100'000)});
  EXPECT_TRUE(at::globalContext().benchmarkCuDNN());
}

TEST_F(Gpus, TryAsIsSetWhenTheFirstBatchComes) {
  AlgorithmTrials trials;
  apply({.trials = false});
  trials.prepare(100);
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
}

TEST_F(Gpus, TryAlgorithmsForTheLargestBatches) {
  const auto tries_for = [](AlgorithmTrials& trials, std::int64_t images) {
    trials.prepare(images);
    return at::globalContext().benchmarkCuDNN();
  };
  AlgorithmTrials trials;
  EXPECT_TRUE(tries_for(trials, 100));
  EXPECT_FALSE(tries_for(trials, 12)) << "the last of an epoch";
  EXPECT_TRUE(tries_for(trials, 100));
  EXPECT_TRUE(tries_for(trials, 200));
  EXPECT_FALSE(tries_for(trials, 100));
  apply({.deterministic = true});
  AlgorithmTrials none;
  EXPECT_FALSE(tries_for(none, 100));
}

}  // namespace
}  // namespace yoke

// tests/train/average_test.cpp: runs that end with the mean of their weights.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>
#include <utility>
#include <vector>

#include "tests/support/ranks.h"
#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

constexpr int kSteps = 12, kEvery = 2;

/// What a checkpoint holds.
struct Saved {
  std::vector<Tensor> model;    ///< Parameters, as one vector each, then buffers.
  std::vector<Tensor> weights;  ///< Those that learn, likewise.
  std::int64_t count;           ///< In the mean.
};

Saved read_saved(const fs::path& run, int step) {
  const auto folder = run / "checkpoints" / fmt::format("step-{:08}", step);
  Saved saved{};
  std::map<std::string, Tensor> carried;
  for (const auto& [name, tensor] : read_safetensors(folder / "optimizer.safetensors")) {
    carried[name] = tensor;
  }
  saved.count = carried.at("ema.count").item<std::int64_t>();
  std::vector<Tensor> values, buffers;
  const Tensor flat = carried.at("ema.values");
  std::int64_t elements = 0;
  for (const auto& [name, tensor] : read_safetensors(folder / "model.safetensors")) {
    auto& list = elements < flat.numel() ? values : buffers;
    list.push_back(tensor.flatten());
    elements += tensor.numel();
  }
  saved.model = {torch::cat(values)};
  saved.weights = {flat};
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    saved.model.push_back(buffers[i]);
    saved.weights.push_back(carried.at(fmt::format("ema.buffers.{}", i)).flatten());
  }
  return saved;
}

std::string flags(const std::string& model, const std::string& strategy) {
  return fmt::format(
      "--model {} --data glyphs:train=120,validation=40 --batch-size 40 --max-steps {} --lr 0.05 "
      "--threads 1 --print-every 3 --checkpoint-every {}steps --keep 100 --strategy {} "
      "--ema 0.6,every={},warmup=off",
      model, kSteps, kEvery, strategy, kEvery);
}

/// Each checkpoint has the weights and their mean; the mean moves by its share of them.
void expect_means(const fs::path& run) {
  std::vector<Tensor> mean;
  for (int step = kEvery; step <= kSteps; step += kEvery) {
    const Saved saved = read_saved(run, step);
    EXPECT_EQ(saved.count, step / kEvery);
    if (mean.empty()) mean = saved.weights;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const Tensor& weights = saved.weights[i];
      mean[i] = weights.is_floating_point() ? mean[i] + (weights - mean[i]) * 0.4 : weights;
      EXPECT_TRUE(saved.model[i].allclose(mean[i], 1e-5, 1e-6)) << step << ", " << i;
    }
    if (step > kEvery) {
      EXPECT_FALSE(saved.model[0].allclose(saved.weights[0], 1e-5, 1e-6)) << step;
    }
  }
}

class AverageOf : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(AverageOf, IsTheMeanOfWhatTheRanksTrain) {
  const auto& [model, strategy] = GetParam();
  const TemporaryDirectory directory;
  run_ranks_well(3, train_words(directory.path() / "run", flags(model, strategy)));
  expect_means(directory.path() / "run");
  EXPECT_EQ(summary(directory.path() / "run").at("counters").at("ema_weights"), kSteps / kEvery);
}

INSTANTIATE_TEST_SUITE_P(EveryStrategy, AverageOf,
                         testing::Values(std::pair("bn-cnn", "allreduce"),
                                         std::pair("mlp", "allreduce:shard_state=on"),
                                         std::pair("bn-cnn", "averaging:every=3"),
                                         std::pair("mlp", "hogwild"),
                                         std::pair("mlp", "parameter-server")));

/// The weights that learn are those of a run without a mean, bit for bit; and so are losses.
TEST(Average, LeavesTheTrainingAsItIs) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "plain", "bn-cnn");
  config.checkpoint_every = Interval::parse("4steps", "");
  train(config);
  config.out = directory.path() / "averaged";
  config.ema = "0.9,every=4";
  train(config);
  EXPECT_EQ(step_reports(directory.path() / "plain"), step_reports(config.out));
  const auto plain = read_safetensors(directory.path() / "plain/model.safetensors");
  const Saved averaged = read_saved(config.out, 18);
  std::vector<Tensor> parameters;
  for (const auto& [name, tensor] : plain) parameters.push_back(tensor.flatten());
  const Tensor all = torch::cat(parameters);
  EXPECT_TRUE(averaged.weights[0].equal(all.narrow(0, 0, averaged.weights[0].numel())));
}

/// What is evaluated, saved and read again is the same model, and another than without a mean.
TEST(Average, IsWhatIsEvaluatedAndKept) {
  for (const auto engine : {EngineKind::kEager, EngineKind::kCompiled}) {
    const TemporaryDirectory directory;
    auto config = small_run(directory.path() / "plain");
    config.engine = engine;
    train(config);
    config.out = directory.path() / "averaged";
    config.ema = "0.9,every=5";
    train(config);
    auto again = still_run(directory.path() / "again", config.out / "model.safetensors");
    again.engine = engine;
    train(again);
    const auto loss = [&](const char* run) {
      return summary(directory.path() / run).at("val_loss");
    };
    EXPECT_EQ(loss("averaged"), loss("again"));
    EXPECT_NE(loss("averaged"), loss("plain"));
  }
}

TEST(Average, OfOneRankIsThatOfThree) {
  const TemporaryDirectory directory;
  const auto words = [&](const char* name) {
    return train_words(directory.path() / name,
                       "--model lenet --data glyphs:train=500,validation=103 --epochs 3 "
                       "--batch-size 150 --lr 0.01 --threads 1 --print-every 1 --ema every=2");
  };
  run_ranks_well(1, words("one"));
  run_ranks_well(3, words("three"));
  expect_equal_runs(directory.path() / "one", directory.path() / "three");
}

TEST(Average, OfSplitStateIsThatOfWholeBitForBit) {
  const TemporaryDirectory directory;
  for (const char* split : {"off", "on"}) {
    run_ranks_well(2, train_words(directory.path() / split,
                                  flags("mlp", fmt::format("allreduce:shard_state={}", split))));
  }
  EXPECT_EQ(read_file(directory.path() / "off/model.safetensors"),
            read_file(directory.path() / "on/model.safetensors"));
}

TEST(Average, OfARunThatEndsBeforeItIsWarnedOf) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.epochs = 1;
  config.ema = "0.9,every=1000";
  config.progress = ProgressKind::kLines;
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  train(config, {}, context);
  EXPECT_THAT(shown.str(),
              testing::HasSubstr("warning: --ema 0.9,every=1000: the run ends before"));
}

}  // namespace
}  // namespace yoke::test

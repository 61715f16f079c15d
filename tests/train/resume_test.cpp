// A run that was interrupted continues exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {
namespace {

using test::reports;
using test::small_run;
using test::TemporaryDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// Trains for three epochs, saving every `every`; then a second run that ends at `first`, and goes
/// on.
void expect_equal_after_resume(const std::string& model, const char* every, std::int64_t first,
                               const char* data = nullptr, std::int64_t batch_size = 100,
                               void (*change)(TrainConfig&) = nullptr) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "whole", model);
  config.schedule = "onecycle:max_lr=2e-3";
  if (change != nullptr) change(config);
  if (data != nullptr) config.data = data;
  config.batch_size = batch_size;
  config.checkpoint_every = Interval::parse(every, "");
  config.eval_every = Interval::parse("5steps", "");
  config.keep = 100;
  train(config);

  // What a kill after step `first` leaves: later reports and checkpoints are gone or half there.
  config.out = directory.path() / "killed";
  fs::copy(directory.path() / "whole", config.out, fs::copy_options::recursive);
  for (const auto& checkpoint : list_checkpoints(config.out / "checkpoints")) {
    if (checkpoint.filename() > fmt::format("step-{:08}", first)) fs::remove_all(checkpoint);
  }
  fs::remove(config.out / "model.safetensors");
  config.resume = "auto";
  train(config);
  EXPECT_EQ(reports(directory.path() / "whole"), reports(config.out));
  EXPECT_EQ(read_file(directory.path() / "whole" / "model.safetensors"),
            read_file(config.out / "model.safetensors"));
}

TEST(Resume, IsExactInTheMiddleOfAnEpoch) { expect_equal_after_resume("mlp", "5steps", 10); }

TEST(Resume, IsExactBetweenTwoReports) { expect_equal_after_resume("mlp", "7steps", 7); }

TEST(Resume, IsExactWithDropout) { expect_equal_after_resume("lab-cnn", "5steps", 5); }

TEST(Resume, IsExactWithStochasticDepth) {
  expect_equal_after_resume("efficientnet-b0:stochastic_depth=0.5", "4steps", 4,
                            "glyphs:train=21,validation=16", 7,
                            [](TrainConfig& config) { config.engine = EngineKind::kEager; });
}

TEST(Resume, IsExactWithBatchNorm) {
  expect_equal_after_resume("resnet18", "4steps", 4, "glyphs:train=21,validation=16", 7);
}

TEST(Resume, IsExactWithMixedImages) {
  expect_equal_after_resume("mlp", "3steps", 9, nullptr, 99, [](TrainConfig& config) {
    config.mixup = 0.2;
    config.cutmix = 1;
    config.class_weights = "balanced";
  });
}

TEST(Resume, IsExactWhereImagesAreDrawnByWeight) {
  expect_equal_after_resume("mlp", "3steps", 9, nullptr, 99, [](TrainConfig& config) {
    config.mixup = 0.2;
    config.sample_weights = "balanced";
  });
}

TEST(Resume, IsExactWithAnAverageOfTheWeights) {
  expect_equal_after_resume("bn-cnn", "3steps", 9, nullptr, 99,
                            [](TrainConfig& config) { config.ema = "0.8,every=2"; });
  expect_equal_after_resume("mlp", "3steps", 9, nullptr, 99,
                            [](TrainConfig& config) { config.ema = "equal=on,every=2,start=0.6"; });
}

/// Which has fallen before and falls after.
TEST(Resume, IsExactWithARateThatFallsOnAPlateau) {
  expect_equal_after_resume("mlp", "5steps", 10, nullptr, 40, [](TrainConfig& config) {
    config.schedule = "plateau:patience=0,threshold=0.5,factor=0.7";
  });
}

/// Though a plateau carries from step to step what others do not.
TEST(Resume, MayGoOnByAnotherSchedule) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("4steps", "");
  config.max_steps = 4;
  train(config);
  config.resume = "auto";
  for (const auto& [schedule, steps] : {std::pair("plateau", 8), std::pair("constant", 12)}) {
    config.schedule = schedule;
    config.max_steps = steps;
    EXPECT_EQ(train(config).status, RunStatus::kCompleted) << schedule;
  }
}

TEST(Resume, GoesOnAfterAStop) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "whole");
  train(config);
  config.out = directory.path() / "stopped";
  config.checkpoint_every = Interval::parse("1000steps", "");
  const std::atomic<bool> stop{true};
  TrainContext context;
  context.stop = &stop;
  auto result = train(config, {}, context);
  EXPECT_EQ(result.status, RunStatus::kStopped);
  EXPECT_EQ(result.summary.at("status"), "stopped");
  config.resume = "auto";
  EXPECT_EQ(train(config).status, RunStatus::kCompleted);
  EXPECT_EQ(reports(directory.path() / "whole"), reports(config.out));
}

TEST(Resume, FallsBackFromADamagedCheckpointAndSaysSo) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("6steps", "");
  train(config);
  const auto before = reports(config.out);
  const auto newest = list_checkpoints(config.out / "checkpoints").front();
  std::string bytes = read_file(newest / "model.safetensors");
  bytes[bytes.size() / 2] ^= 1;
  write_file(newest / "model.safetensors", bytes);
  config.resume = "auto";
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  train(config, {}, context);
  EXPECT_THAT(shown.str(), HasSubstr("warning: "));
  EXPECT_THAT(shown.str(), HasSubstr("model.safetensors"));
  EXPECT_THAT(shown.str(), HasSubstr("resumed    at step 12"));
  EXPECT_EQ(before, reports(config.out));
  EXPECT_NO_THROW(verify_checkpoint(newest)) << "written when training came there again";
}

TEST(Resume, FromAnOlderStepGivesUpTheNewerOnes) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("6steps", "");
  train(config);
  config.resume = (config.out / "checkpoints" / "step-00000006").string();
  config.lr = 5e-4;
  config.max_steps = 7;
  const auto summary = train(config).summary;
  EXPECT_EQ(summary.at("steps"), 7);
  const auto left = list_checkpoints(config.out / "checkpoints");
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left.front().filename(), "step-00000007");
}

TEST(Resume, RefusesACheckpointOfAnotherRun) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("1epoch", "");
  train(config);
  config.resume = "auto";
  config.model = "lenet";
  config.seed = 9;
  try {
    train(config);
    FAIL() << "resumed another model";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--model is 'lenet', was 'mlp'"));
    EXPECT_THAT(error.what(), HasSubstr("--seed is '9', was '1'"));
  }
}

TEST(Resume, RefusesACheckpointWhoseBatchSizeIsNone) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run", "mlp");
  config.max_steps = 2;
  config.checkpoint_every = Interval::parse("2steps", "");
  train(config);
  const fs::path folder = config.out / "checkpoints";
  Checkpoint checkpoint = read_checkpoint(list_checkpoints(folder).front());
  config.resume = "auto";
  for (const nlohmann::json& wrong : {nlohmann::json(0), nlohmann::json(-100), nlohmann::json(1e9),
                                      nlohmann::json("100"), nlohmann::json()}) {
    fs::remove_all(folder);
    checkpoint.state["batch_size"] = wrong;
    write_checkpoint(folder, checkpoint);
    EXPECT_THAT([&] { train(config); },
                testing::ThrowsMessage<Error>(HasSubstr(wrong.dump() + " as its batch_size")));
  }
}

TEST(Resume, AutoStartsAfreshWhereThereIsNothing) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.resume = "auto";
  EXPECT_EQ(train(config).status, RunStatus::kCompleted);
  config.out.clear();
  EXPECT_THROW(train(config), UsageError) << "auto without --out";
}

TEST(Resume, FromAPathWithoutCheckpointIsWrongUsage) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.resume = (directory.path() / "elsewhere").string();
  EXPECT_THROW(train(config), UsageError);
}

}  // namespace
}  // namespace yoke

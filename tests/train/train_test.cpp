// What a whole run leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/core/files/recipe.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

using test::reports;
using test::small_run;
using test::TemporaryDirectory;
using testing::HasSubstr;
namespace fs = std::filesystem;

template <typename Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Train, WritesItsFilesAndEveryFieldOfTheSummary) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.tensorboard = config.resources = true;
  config.checkpoint_every = Interval::parse("1epoch", "");
  const auto result = train(config);
  EXPECT_EQ(result.status, RunStatus::kCompleted);
  for (const char* file :
       {"config.toml", "metrics.jsonl", "console.log", "summary.json", "resources.csv",
        "phases.csv", "model.safetensors", "checkpoints/step-00000018/manifest.json"}) {
    EXPECT_TRUE(fs::exists(result.directory / file)) << file;
  }
  const auto summary = nlohmann::json::parse(read_file(result.directory / "summary.json"));
  for (const char* field : {"status",           "model",          "data",
                            "engine",           "precision",      "device",
                            "strategy",         "comm",           "world_size",
                            "replicas",         "batch_size",     "seed",
                            "epochs",           "steps",          "images_seen",
                            "parameters",       "train_seconds",  "checkpoint_seconds",
                            "evaluate_seconds", "wall_seconds",   "images_per_second",
                            "final_train_loss", "val_loss",       "val_top1",
                            "val_top5",         "best_val_top1",  "per_class_accuracy",
                            "val_macro_f1",     "val_ece",        "val_balanced_accuracy",
                            "confidence_bins",  "confusion",      "best_step",
                            "target_accuracy",  "target_reached", "time_to_target_seconds",
                            "peak_rss_bytes",   "cpu_seconds",    "versions",
                            "hardware",         "command"}) {
    EXPECT_TRUE(summary.contains(field)) << field;
  }
  EXPECT_EQ(summary["status"], "completed");
  EXPECT_EQ(summary["steps"], 18);
  EXPECT_EQ(summary["epochs"], 3.0);
  EXPECT_EQ(summary["images_seen"], 3 * 512);
  EXPECT_NEAR(summary["images_per_second"].get<double>() * summary["train_seconds"].get<double>(),
              3 * 512, 1e-6);
  EXPECT_GE(summary["wall_seconds"].get<double>(), summary["train_seconds"].get<double>());
}

TEST(Train, RecordsItsPhasesAndTheConfusionOfClasses) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.epochs = 1;
  config.checkpoint_every = Interval::parse("1epoch", "");
  train(config);
  std::istringstream lines(read_file(config.out / "phases.csv"));
  std::vector<std::string> phases;
  double last = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line == "seconds,phase") continue;
    const auto comma = line.find(',');
    EXPECT_GE(std::stod(line), last) << line;
    last = std::stod(line);
    phases.push_back(line.substr(comma + 1));
  }
  EXPECT_THAT(phases, testing::ElementsAre("loading", "training", "evaluating", "training",
                                           "checkpointing", "training", "checkpointing", "training",
                                           "checkpointing", "ended"));
  const auto summary = test::summary(config.out);
  std::int64_t images = 0;
  for (const auto& row : summary["confusion"]) {
    for (const auto& cell : row) images += cell.get<std::int64_t>();
  }
  EXPECT_EQ(images, summary["val_images"]);
}

TEST(Train, ConfigurationOnDiskRepeatsTheRun) {
  const TemporaryDirectory directory;
  train(small_run(directory.path() / "first"));
  TrainConfig again;
  apply_recipe(again, read_recipe(directory.path() / "first" / "config.toml"), "config.toml");
  again.out = directory.path() / "second";
  train(again);
  EXPECT_EQ(reports(directory.path() / "first"), reports(directory.path() / "second"));
}

TEST(Train, CheckpointsHoldTheConfigurationOfConfigToml) {
  const TemporaryDirectory directory;
  TrainConfig config = small_run(directory.path() / "run");
  config.lr.reset();
  config.threads = 0;
  config.checkpoint_every = Interval::parse("1epoch", "");
  train(config);
  std::map<std::string, std::string> on_disk, in_checkpoint;
  for (const auto& entry : read_recipe(config.out / "config.toml")) {
    on_disk[entry.key] = entry.value;
  }
  const auto checkpoint = read_checkpoint(list_checkpoints(config.out / "checkpoints").front());
  for (const auto& [key, value] : checkpoint.state.at("config").items()) {
    in_checkpoint[key] = value.get<std::string>();
  }
  EXPECT_EQ(in_checkpoint, on_disk);
  EXPECT_EQ(on_disk.at("threads"), "0") << "as given, not what this machine made of it";
  EXPECT_TRUE(on_disk.contains("lr")) << "found out";
  const auto summary = test::summary(config.out);
  EXPECT_GE(summary.at("threads").get<int>(), 1) << "found out";
  EXPECT_GE(summary.at("replicas").get<int>(), 1) << "found out";
  for (const char* key : {"model", "data", "optimizer", "schedule", "strategy", "precision"}) {
    EXPECT_EQ(summary.at(key).get<std::string>(), on_disk.at(key)) << key;
  }
}

TEST(Train, AnotherSeedIsAnotherRun) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "first");
  train(config);
  config.seed = 2;
  config.out = directory.path() / "second";
  train(config);
  EXPECT_NE(reports(directory.path() / "first"), reports(directory.path() / "second"));
}

TEST(Train, StopsWhenTheTargetIsReached) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.target_accuracy = 0.2;
  config.epochs = 1000;
  const auto summary = train(config).summary;
  EXPECT_EQ(summary.at("target_reached"), true);
  EXPECT_LT(summary.at("epochs").get<double>(), 1000);
  EXPECT_GE(summary.at("val_top1").get<double>(), 0.2);
  EXPECT_NEAR(
      summary.at("time_to_target_seconds").get<double>(),
      summary.at("train_seconds").get<double>() + summary.at("evaluate_seconds").get<double>(),
      1e-9);
}

TEST(Train, RefusesADirectoryThatHoldsFiles) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "notes.txt", "mine");
  const auto config = small_run(directory.path());
  EXPECT_THROW(train(config), UsageError);
  EXPECT_THAT(message_of([&] { train(config); }), HasSubstr("--resume auto"));
  EXPECT_FALSE(fs::exists(directory.path() / "config.toml"));
}

TEST(Train, WrongUsageLeavesNothingBehind) {
  const TemporaryDirectory directory;
  for (const char* model : {"no-such-model", "mlp:no_such_option=1"}) {
    auto config = small_run(directory.path() / "run", model);
    EXPECT_THROW(train(config), UsageError);
  }
  auto config = small_run(directory.path() / "run");
  config.batch_size = 513;
  EXPECT_THAT(message_of([&] { train(config); }),
              testing::AllOf(HasSubstr("513"), HasSubstr("512")));
  config.batch_size_per_rank = 10;
  EXPECT_THAT(message_of([&] { train(config); }), HasSubstr("both --batch-size"));
  EXPECT_FALSE(fs::exists(directory.path() / "run"));
}

TEST(Train, StopsAndSaysWhereWhenTheLossIsNotANumber) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.optimizer = "sgd";
  config.schedule = "warmup:steps=9,start=1e-30,then=constant";
  config.lr = 1e30;
  config.checkpoint_every = Interval::parse("1steps", "");
  const std::string message = message_of([&] { train(config); });
  EXPECT_THAT(message, HasSubstr("the loss is"));
  EXPECT_THAT(message, HasSubstr("at step"));
  EXPECT_THAT(message, HasSubstr("lower --lr"));
  EXPECT_THAT(message, HasSubstr("last good checkpoint is"));
  const auto summary = nlohmann::json::parse(read_file(config.out / "summary.json"));
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_EQ(summary["error"], message);
  EXPECT_TRUE(read_newest_good(config.out / "checkpoints", [](const std::string&) {}).has_value());
}

TEST(Train, GoesOnWhenCheckpointsCannotBeWritten) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("1epoch", "");
  config.resume = "auto";  // allows a directory that holds files
  fs::create_directories(config.out);
  write_file(config.out / "checkpoints", "a file where the folder should be");
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  EXPECT_EQ(train(config, {}, context).summary.at("status"), "completed");
  EXPECT_THAT(shown.str(), HasSubstr("training goes on"));
}

}  // namespace
}  // namespace yoke

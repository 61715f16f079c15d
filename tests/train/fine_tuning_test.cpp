// Parts that do not learn, or at another rate; the best weights; the end where nothing improves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/run/confidence_bins.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/evaluation/class_scores.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

NamedTensors weights(const fs::path& run) { return read_safetensors(run / "model.safetensors"); }

TEST(FineTuning, KeepsFrozenModulesOfAFile) {
  const TemporaryDirectory directory;
  for (const std::string engine : {"eager", "compiled"}) {
    auto config = small_run(directory.path() / (engine + "-first"), "resnet18");
    config.data = "glyphs:train=64,validation=32";
    config.epochs = 1;
    config.batch_size = 16;
    train(config);
    const auto before = weights(config.out);
    config.weights = (config.out / "model.safetensors").string();
    config.freeze = "all-but=fc+layer4.1";
    config.engine = engine == "eager" ? EngineKind::kEager : EngineKind::kCompiled;
    config.out = directory.path() / (engine + "-second");
    train(config);
    const auto after = weights(config.out);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto& name = before[i].first;
      const bool learns = name.starts_with("fc.") || name.starts_with("layer4.1.");
      EXPECT_EQ(torch::equal(before[i].second, after[i].second), !learns) << engine << " " << name;
    }
  }
}

TEST(FineTuning, RefusesWhatIsNoPartOrScale) {
  const TemporaryDirectory directory;
  const auto refuses = [&](const auto& change, const std::string& message) {
    auto config = small_run(directory.path() / "run");
    change(config);
    EXPECT_THAT([&] { train(config); }, testing::ThrowsMessage<UsageError>(HasSubstr(message)));
    EXPECT_FALSE(fs::exists(config.out)) << message;
  };
  refuses([](auto& config) { config.freeze = "fc"; }, "the model has no module 'fc'");
  refuses([](auto& config) { config.lr_scale = "output"; }, "'output' is no NAME=X");
  refuses([](auto& config) { config.lr_scale = "=1"; }, "'=1' is no NAME=X");
  refuses([](auto& config) { config.lr_scale = "output=-1"; }, "a number from 0 to 1000");
  refuses([](auto& config) { config.lr_scale = "output=1,output.bias=2"; }, "named twice");
  refuses([](auto& config) { config.lr_scale = "fc=1"; }, "--lr-scale fc: the model has no module");
}

TEST(FineTuning, GivesPartsTheirRates) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "first");
  config.max_steps = 1;
  config.optimizer = "sgd";
  config.lr = 0;
  train(config);
  const auto start = weights(config.out);
  const auto moved_by = [&](const std::string& scales, const std::string& out) {
    config.lr = 0.1;
    config.lr_scale = scales;
    config.out = directory.path() / out;
    train(config);
    auto moved = weights(config.out);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i].second -= start[i].second;
    return moved;
  };
  const auto all = moved_by("", "all"), scaled = moved_by("backbone=0.25", "scaled");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double factor = all[i].first.starts_with("output") ? 1 : 0.25;
    EXPECT_TRUE(torch::allclose(scaled[i].second, factor * all[i].second, 1e-3, 1e-7))
        << all[i].first;
  }
}

TEST(FineTuning, IsTheSameOverRanks) {
  const TemporaryDirectory directory;
  const std::string flags =
      "--model lab-cnn --data glyphs:train=500,validation=103 --epochs 2 --batch-size 100 --lr "
      "0.01 --optimizer sgd:momentum=0.9,weight_decay=0.1 --freeze conv1+fc2 --lr-scale conv2=0.1 "
      "--threads 1 --print-every 1";
  const auto one = directory.path() / "one";
  run_ranks_well(1, train_words(one, flags));
  for (const std::string strategy : {"allreduce:bucket_mib=0", "allreduce:shard_state=true"}) {
    const auto two = directory.path() / strategy;
    run_ranks_well(2, train_words(two, flags + " --strategy " + strategy));
    expect_equal_runs(one, two);
  }
}

/// A run whose accuracy rises at first and then falls, as its rate grows.
TrainConfig worsening_run(const fs::path& out) {
  auto config = small_run(out);
  config.schedule = "warmup:epochs=6";
  config.lr = 0.03;
  config.epochs = 6;
  config.eval_every = Interval::parse("3steps", "");
  config.keep_best = true;
  config.keep = 1;
  return config;
}

double accuracy_of(const nlohmann::json& summary) { return summary.at("val_top1").get<double>(); }

/// Of the checkpoints there.
std::vector<std::int64_t> steps_kept(const fs::path& run) {
  std::vector<std::int64_t> steps;
  for (const auto& path : list_checkpoints(run / "checkpoints")) {
    steps.push_back(checkpoint_step(path).value());
  }
  return steps;
}

/// What the summary says of the validation images is all of the evaluation that `val_top1` is of.
void expect_one_evaluation(const nlohmann::json& summary) {
  const auto top1 = accuracy_of(summary);
  const auto bins = confidence_bins_from(summary.at("confidence_bins"));
  EXPECT_NEAR(mean_over_images(bins, [](const ConfidenceBin& bin) { return bin.accuracy; }), top1,
              1e-12);
  EXPECT_EQ(summary.at("val_ece"), expected_calibration_error(bins));
  const auto recalls = summary.at("per_class_accuracy").get<std::vector<double>>();
  EXPECT_EQ(summary.at("val_balanced_accuracy"), balanced_accuracy(recalls));
  const auto rows = summary.at("confusion").get<std::vector<std::vector<std::int64_t>>>();
  std::vector<torch::Tensor> confusion;
  for (const auto& row : rows) confusion.push_back(torch::tensor(row));
  EXPECT_EQ(summary.at("val_macro_f1"), macro_f1(torch::stack(confusion)));
}

TEST(BestWeights, AreThoseOfTheRun) {
  const TemporaryDirectory directory;
  auto config = worsening_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("3steps", "");
  const auto found = train(config).summary;
  const auto best = found.at("best_step").get<std::int64_t>();
  EXPECT_LT(best, 30);
  EXPECT_EQ(accuracy_of(found), found.at("best_val_top1").get<double>());
  double last = 1;
  for (const auto& report : reports(config.out)) {
    if (report.at("split") == "val") last = report.at("top1").get<double>();
  }
  EXPECT_GT(accuracy_of(found), last + 0.1) << "the run did not worsen";
  expect_one_evaluation(found);
  EXPECT_THAT(steps_kept(config.out), testing::ElementsAre(found.at("steps"), best));
  const auto kept = read_checkpoint(list_checkpoints(config.out / "checkpoints").back());
  expect_equal(weights(config.out), kept.model);

  config.keep_best = false;
  config.out = directory.path() / "last";
  EXPECT_EQ(accuracy_of(train(config).summary), last);
}

TEST(BestWeights, AreKeptWithoutOtherCheckpoints) {
  const TemporaryDirectory directory;
  const auto config = worsening_run(directory.path() / "run");
  const auto found = train(config).summary;
  EXPECT_THAT(steps_kept(config.out), testing::Contains(found.at("best_step")));
  EXPECT_EQ(accuracy_of(found), found.at("best_val_top1").get<double>());
}

TEST(BestWeights, AreTheSameAfterAResume) {
  const TemporaryDirectory directory;
  auto config = worsening_run(directory.path() / "whole");
  config.checkpoint_every = Interval::parse("3steps", "");
  config.keep = 100;
  const auto whole = train(config).summary;
  config.out = directory.path() / "resumed";
  fs::copy(directory.path() / "whole", config.out, fs::copy_options::recursive);
  for (const auto& checkpoint : list_checkpoints(config.out / "checkpoints")) {
    if (checkpoint_step(checkpoint) > 24) fs::remove_all(checkpoint);
  }
  fs::remove(config.out / "model.safetensors");
  config.resume = "auto";
  const auto resumed = train(config).summary;
  EXPECT_EQ(resumed.at("best_step"), whole.at("best_step"));
  EXPECT_EQ(read_file(directory.path() / "whole" / "model.safetensors"),
            read_file(config.out / "model.safetensors"));
}

TEST(BestWeights, AreThoseOfTheLastStepWhereTheyAreGone) {
  const TemporaryDirectory directory;
  auto config = worsening_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("3steps", "");
  config.max_steps = 30;
  train(config);
  for (const auto& checkpoint : list_checkpoints(config.out / "checkpoints")) {
    if (checkpoint_step(checkpoint) < 30) fs::remove_all(checkpoint);
  }
  config.max_steps = 33;
  config.resume = (config.out / "checkpoints").string();
  std::ostringstream told;
  TrainContext context;
  context.output.stream = &told;
  const auto found = train(config, {}, context).summary;
  EXPECT_THAT(told.str(), HasSubstr("those of the last step are the run's"));
  EXPECT_LT(accuracy_of(found), found.at("best_val_top1").get<double>());
}

TEST(BestWeights, AreThoseOfAllRanks) {
  const TemporaryDirectory directory;
  const std::string flags(
      "--model mlp --data glyphs:train=512,validation=130 --epochs 6 --batch-size 100 --optimizer "
      "adam --lr 0.03 --schedule warmup:epochs=6 --eval-every 3steps --keep-best "
      "--threads 1");
  const auto run = directory.path() / "run";
  run_ranks_well(2, train_words(run, flags));
  const auto found = summary(run);
  EXPECT_LT(found.at("best_step"), found.at("steps")) << "the run did not worsen";
  EXPECT_EQ(found.at("val_top1"), found.at("best_val_top1"));
  for (const auto& path : list_checkpoints(run / "checkpoints")) {
    if (checkpoint_step(path) != found.at("best_step")) continue;
    return expect_equal(weights(run), read_checkpoint(path).model);
  }
  FAIL() << "there is no checkpoint of the best step";
}

TEST(Patience, EndsARunThatGetsNoBetter) {
  const TemporaryDirectory directory;
  auto config = worsening_run(directory.path() / "run");
  config.patience = 4;
  const auto result = train(config);
  EXPECT_EQ(result.status, RunStatus::kCompleted);
  const auto best = result.summary.at("best_step").get<std::int64_t>();
  EXPECT_EQ(result.summary.at("steps"), best + 4 * 3);
}

TEST(Patience, IsTheSameAfterAResume) {
  const TemporaryDirectory directory;
  auto config = worsening_run(directory.path() / "run");
  config.patience = 4;
  config.keep_best = false;
  config.checkpoint_every = Interval::parse("3steps", "");
  config.keep = 100;
  const auto whole = train(config).summary;
  const auto last = whole.at("steps").get<std::int64_t>();
  for (const auto& checkpoint : list_checkpoints(config.out / "checkpoints")) {
    if (checkpoint_step(checkpoint) > last - 6) fs::remove_all(checkpoint);
  }
  config.resume = (config.out / "checkpoints").string();
  EXPECT_EQ(train(config).summary.at("steps"), last);
}

}  // namespace
}  // namespace yoke::test

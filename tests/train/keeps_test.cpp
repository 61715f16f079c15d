// A resume loses nothing that another run or a later time made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/report/machine/resources.h"
#include "yoke/run/resource_samples.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {
namespace {

using test::reports;
using test::shown_by;
using test::small_run;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// A run of 18 steps with checkpoints of the steps 6, 12 and 18.
TrainConfig run_with_checkpoints(const fs::path& out) {
  auto config = small_run(out);
  config.checkpoint_every = Interval::parse("6steps", "");
  return config;
}

fs::path step(const TrainConfig& config, int number) {
  return config.out / "checkpoints" / fmt::format("step-{:08}", number);
}

/// All files below `folder`, by their paths.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path());
  }
  return files;
}

template <typename Failure>
std::string refusal(const TrainConfig& config) {
  try {
    train(config);
  } catch (const Failure& error) {
    return error.what();
  }
  return "nothing";
}

/// As a program of another version writes it.
void make_unreadable(const fs::path& checkpoint) {
  auto manifest = nlohmann::json::parse(read_file(checkpoint / "manifest.json"));
  manifest["format"] = 2;
  write_file(checkpoint / "manifest.json", manifest.dump());
}

TEST(ResumeKeeps, ARunThatItDoesNotGoOnWith) {
  const TemporaryDirectory directory;
  const auto a = run_with_checkpoints(directory.path() / "a");
  train(a);
  auto b = run_with_checkpoints(directory.path() / "b");
  b.seed = 2;
  train(b);
  const auto before = files_of(b.out);
  auto config = a;
  config.out = b.out;
  for (const auto& from : {a.out, step(a, 6)}) {
    config.resume = from.string();
    EXPECT_THAT(refusal<UsageError>(config),
                AllOf(HasSubstr(b.out.string()), HasSubstr("another --out")));
  }
  EXPECT_TRUE(files_of(b.out) == before);
}

TEST(ResumeKeeps, WhatTheSameCommandHasMadeInAFolderOfItsOwn) {
  const TemporaryDirectory directory;
  const auto a = run_with_checkpoints(directory.path() / "a");
  train(a);
  const auto before = files_of(a.out);
  auto b = a;
  b.out = directory.path() / "b";
  b.resume = step(a, 6).string();
  b.max_steps = 10;
  b.epochs.reset();
  EXPECT_THAT(shown_by(b), HasSubstr("resumed    at step 6"));
  b.max_steps = 14;
  EXPECT_THAT(shown_by(b), HasSubstr("resumed    at step 10"));
  EXPECT_TRUE(files_of(a.out) == before);
}

TEST(ResumeKeeps, ACheckpointThatCannotBeReadNow) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  config.keep = 1;
  train(config);
  // --keep has left step 18 alone; an older one is needed, too.
  auto older = run_with_checkpoints(directory.path() / "older");
  train(older);
  fs::copy(step(older, 6), step(config, 6), fs::copy_options::recursive);
  make_unreadable(step(config, 18));
  const auto unreadable = files_of(step(config, 18));
  const auto weights = read_file(config.out / "model.safetensors");
  config.resume = "auto";
  const std::string shown = shown_by(config);
  EXPECT_THAT(shown, AllOf(HasSubstr("has format 2"), HasSubstr("resumed    at step 6"),
                           HasSubstr("unreadable-step-00000018")));
  const auto aside = config.out / "checkpoints" / "unreadable-step-00000018";
  ASSERT_TRUE(fs::exists(aside));
  EXPECT_EQ(read_file(aside / "manifest.json"),
            unreadable.at((step(config, 18) / "manifest.json").string()));
  EXPECT_EQ(files_of(aside).size(), unreadable.size());
  EXPECT_NO_THROW(verify_checkpoint(step(config, 18))) << "written when training came there again";
  EXPECT_TRUE(read_file(config.out / "later-model.safetensors") == weights);
}

TEST(ResumeKeeps, EverythingWhenNoCheckpointCanBeRead) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  train(config);
  for (const int number : {6, 12, 18}) make_unreadable(step(config, number));
  const auto before = files_of(config.out);
  config.resume = "auto";
  EXPECT_THAT(refusal<Error>(config), AllOf(HasSubstr("has format 2"), HasSubstr("--out")));
  EXPECT_TRUE(files_of(config.out) == before);
}

TEST(ResumeKeeps, EverythingWhenTheFolderCannotBeRead) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  train(config);
  fs::remove(config.out / "summary.json");  // as where it was killed
  fs::remove(config.out / "model.safetensors");
  const auto checkpoints = config.out / "checkpoints";
  fs::rename(checkpoints, directory.path() / "elsewhere");
  const auto before = files_of(config.out);
  fs::create_directory_symlink("checkpoints", checkpoints);  // nobody, not even root, reads this
  config.resume = "auto";
  EXPECT_THAT(refusal<Error>(config), AllOf(HasSubstr("cannot read"), HasSubstr("try again")));
  fs::remove(checkpoints);
  EXPECT_TRUE(files_of(config.out) == before);
}

TEST(ResumeKeeps, WhatCameAfterTheStepThatIsNamed) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  train(config);
  const auto weights = read_file(config.out / "model.safetensors");
  const auto metrics = read_file(config.out / "metrics.jsonl");
  const auto predictions = read_file(config.out / "predictions.jsonl");
  config.resume = step(config, 6).string();
  config.max_steps = 7;
  EXPECT_THAT(shown_by(config), HasSubstr("later-step-00000012"));
  const auto checkpoints = config.out / "checkpoints";
  EXPECT_NO_THROW(verify_checkpoint(checkpoints / "later-step-00000012"));
  EXPECT_NO_THROW(verify_checkpoint(checkpoints / "later-step-00000018"));
  EXPECT_TRUE(read_file(config.out / "later-model.safetensors") == weights);
  EXPECT_EQ(read_file(config.out / "later-metrics.jsonl"), metrics);
  EXPECT_EQ(read_file(config.out / "later-predictions.jsonl"), predictions);

  config.max_steps = 16;
  train(config);  // once more, which sets step 7 aside; then there are two of step 12
  EXPECT_TRUE(fs::exists(checkpoints / "later-step-00000007"));
  train(config);
  EXPECT_TRUE(fs::exists(checkpoints / "later-2-step-00000012"));
  EXPECT_NO_THROW(verify_checkpoint(checkpoints / "later-step-00000012"));
}

TEST(ResumeKeeps, WhatThisRunHasMadeSinceWhenItIsRestarted) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  config.keep = 100;
  train(config);
  config.resume = step(config, 6).string();
  config.max_steps = 10;
  EXPECT_THAT(shown_by(config, 1), HasSubstr("resumed    at step 6"))
      << "the attempt before did not come to it";
  config.max_steps = 14;
  EXPECT_THAT(shown_by(config, 2), HasSubstr("resumed    at step 10"));
  EXPECT_THAT(shown_by(config), HasSubstr("resumed    at step 6")) << "asked for anew";
}

TEST(ResumeKeeps, ARunThatCompletedWithoutCheckpoints) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  train(config);
  const auto before = files_of(config.out);
  config.resume = "auto";
  EXPECT_THAT(refusal<UsageError>(config), AllOf(HasSubstr("completed"), HasSubstr("--out")));
  EXPECT_TRUE(files_of(config.out) == before);
}

TEST(ResumeKeeps, TheWeightsOfACompletedRunWithCheckpoints) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  train(config);
  const auto weights = read_file(config.out / "model.safetensors");
  const auto before = reports(config.out);
  config.resume = "auto";
  EXPECT_EQ(train(config).summary.at("status"), "completed");
  EXPECT_TRUE(read_file(config.out / "model.safetensors") == weights);
  EXPECT_EQ(reports(config.out), before);
  EXPECT_FALSE(fs::exists(config.out / "later-model.safetensors"));
}

/// Trains without end, until the first report, and stops then.
TrainResult stop_after_a_report(TrainConfig config, std::ostream& shown) {
  config.epochs = 1'000'000;
  std::atomic<bool> stop{false};
  TrainContext context;
  context.stop = &stop;
  context.output.stream = &shown;
  std::thread stopper([&] {
    const auto metrics = config.out / "metrics.jsonl";
    test::comes_true([&] { return fs::exists(metrics) && fs::file_size(metrics) > 0; });
    stop = true;
  });
  auto result = train(config, {}, context);
  stopper.join();
  return result;
}

TEST(ResumeKeeps, TheWeightsOfAStoppedRunWithoutCheckpoints) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  std::ostringstream shown;
  EXPECT_EQ(stop_after_a_report(config, shown).status, RunStatus::kStopped);
  const auto weights = read_file(config.out / "model.safetensors");
  config.resume = "auto";
  train(config);
  EXPECT_TRUE(read_file(config.out / "later-model.safetensors") == weights);
}

TEST(Stop, SaysWhenTheStateCouldNotBeSaved) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("1000000steps", "");
  config.resume = "auto";  // allows a directory that holds files
  fs::create_directories(config.out);
  write_file(config.out / "checkpoints", "a file where the folder should be");
  std::ostringstream shown;
  const auto result = stop_after_a_report(config, shown);
  EXPECT_NE(result.status, RunStatus::kCompleted);
  EXPECT_NE(result.status, RunStatus::kStopped) << "which says that the state was saved";
  EXPECT_EQ(result.summary.at("status"), "stopped");
  EXPECT_THAT(result.summary.value("error", ""), HasSubstr("was not saved"));
  EXPECT_THAT(shown.str(), HasSubstr("was not written"));
}

TEST(Resume, DropsResourcesFromAfterTheCheckpoint) {
  const TemporaryDirectory directory;
  auto config = run_with_checkpoints(directory.path() / "run");
  config.resources = true;
  train(config);
  const std::string early = "0.000,0,100.0,1,0,0,0,0,,\n", late = "99999.000,1,100.0,1,0,0,0,0,,\n";
  write_file(config.out / "resources.csv", resources_header() + early + late + "99999.5,1,1");
  config.resume = "auto";
  config.epochs = 4;
  train(config);
  const auto text = read_file(config.out / "resources.csv");
  EXPECT_THAT(text, testing::StartsWith(resources_header() + early));
  EXPECT_THAT(text, Not(HasSubstr("99999")));
  EXPECT_TRUE(text.ends_with("\n"));
}

}  // namespace
}  // namespace yoke

// `yoke train --profile FIRST:LAST`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/run/layout.h"
#include "yoke/train/step_profile.h"

namespace yoke {
namespace {

using test::small_run;
using test::TemporaryDirectory;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;
namespace fs = std::filesystem;

/// What a profile says of one rank.
struct Seen {
  std::set<std::string> names;               ///< Of spans.
  std::vector<std::string> steps;            ///< In the order of their beginning.
  std::map<std::string, std::string> where;  ///< A span's name, and that of a thread that had it.
};

Seen seen(const fs::path& run, int rank = 0) {
  const auto file = nlohmann::json::parse(read_file(RunDirectory{run}.profile()));
  std::map<std::int64_t, std::string> threads;
  std::map<double, std::string> steps;
  Seen seen;
  for (const auto& event : file.at("traceEvents")) {
    if (event.at("pid") != rank) continue;
    const std::string name = event.at("name");
    if (name == "thread_name") threads[event.at("tid")] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    EXPECT_GE(event.at("dur").get<double>(), 0) << event;
    seen.names.insert(name);
    seen.where[name] = threads.at(event.at("tid"));
    if (name.starts_with("ProfilerStep#")) steps[event.at("ts")] = name;
  }
  for (const auto& [begin, name] : steps) seen.steps.push_back(name);
  return seen;
}

std::string weights_of(const fs::path& run) { return read_file(RunDirectory{run}.weights()); }

TEST(Profile, HasTheStepsAskedForAndChangesNothing) {
  const TemporaryDirectory directory;
  const auto plain = directory.path() / "plain", profiled = directory.path() / "profiled";
  train(small_run(plain, "lenet"));
  auto config = small_run(profiled, "lenet");
  config.profile = {5, 7};  // the first epoch ends after 6
  config.checkpoint_every = Interval::parse("6steps", "");
  const auto told = test::shown_by(config);
  const Seen found = seen(profiled);
  EXPECT_THAT(found.steps, ElementsAre("ProfilerStep#5", "ProfilerStep#6", "ProfilerStep#7"));
  EXPECT_THAT(found.where, Contains(testing::Pair("loader: make a batch", "loader 0")));
  EXPECT_THAT(found.names,
              IsSupersetOf({"gradient", "optimizer, with the gradient that it asks for",
                            "loader: wait for a batch", "weights: reorder", "evaluate",
                            "checkpoint: copy"}));
  for (const char* const layer : {"conv1 forward: ", "conv1 backward: ", "fc1 forward: "}) {
    EXPECT_THAT(found.names, Contains(StartsWith(layer)));
  }
  EXPECT_THAT(told, HasSubstr("steps 5 to 7 in " + (profiled / "profile.json").string()));
  EXPECT_EQ(weights_of(profiled), weights_of(plain));
  EXPECT_FALSE(fs::exists(RunDirectory{plain}.profile()));
}

TEST(Profile, HasOperatorsOfTheEagerEngineByReplica) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.engine = EngineKind::kEager;
  config.replicas = 2;
  config.threads = 2;
  config.max_steps = 2;
  config.profile = {1, 9};  // the run ends before
  train(config);
  const Seen found = seen(config.out);
  EXPECT_THAT(found.steps, ElementsAre("ProfilerStep#1", "ProfilerStep#2"));
  EXPECT_THAT(found.names, IsSupersetOf({"forward", "backward", "aten::addmm"}));
  const auto file = read_file(RunDirectory{config.out}.profile());
  EXPECT_THAT(file, HasSubstr("\"replica 1\""));
}

TEST(Profile, IsOneOfAllRanks) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  test::run_ranks_well(
      2, test::train_words(run,
                           "--model mlp --data glyphs:train=512,validation=130 --threads 1 "
                           "--batch-size 100 --epochs 1 --comm gloo --profile 2:3"));
  for (const int rank : {0, 1}) {
    const Seen found = seen(run, rank);
    EXPECT_THAT(found.steps, ElementsAre("ProfilerStep#2", "ProfilerStep#3"));
    EXPECT_THAT(found.names, Contains(StartsWith("all-reduce of")));
    EXPECT_EQ(found.where.at("wait for other ranks"), "training");
  }
}

TEST(Profile, BeginsAndEndsBetweenMeetingsOfRanks) {
  const TemporaryDirectory directory;
  const auto run = directory.path() / "run";
  test::run_ranks_well(
      2,
      test::train_words(run,
                        "--model mlp --data glyphs:train=512,validation=130 --threads 1 "
                        "--batch-size 50 --epochs 1 --strategy averaging:every=8 --profile 3:5"));
  for (const int rank : {0, 1}) {
    EXPECT_THAT(seen(run, rank).steps,
                ElementsAre("ProfilerStep#3", "ProfilerStep#4", "ProfilerStep#5"));
  }
}

TEST(Profile, ShowsRanksThatAreThreads) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.strategy = "hogwild:workers=2";
  config.threads = 2;
  config.profile = {2, 12};
  train(config);
  const auto file = read_file(RunDirectory{config.out}.profile());
  EXPECT_THAT(file, HasSubstr("\"rank 0\""));
  EXPECT_THAT(file, HasSubstr("\"rank 1\""));
  EXPECT_THAT(file, HasSubstr("ProfilerStep#2\""));
}

TEST(Profile, IsKeptWhenAResumedRunMakesAnother) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("4steps", "");
  config.max_steps = 8;
  config.profile = {2, 3};
  train(config);
  const auto first = read_file(RunDirectory{config.out}.profile());
  config.resume = "auto";
  config.max_steps = 12;
  const auto told = test::shown_by(config);
  EXPECT_THAT(told, HasSubstr("--profile 2:3: the run goes on after step 8"));
  EXPECT_EQ(read_file(RunDirectory{config.out}.profile()), first);
  config.max_steps = 14;
  config.profile = {13, 14};
  train(config);
  EXPECT_THAT(seen(config.out).steps, ElementsAre("ProfilerStep#13", "ProfilerStep#14"));
  EXPECT_EQ(read_file(config.out / "earlier-profile.json"), first);
}

TEST(Profile, RefusesStepsThatAreNone) {
  for (const char* const text :
       {"", "5", "5:", ":5", "0:3", "7:3", "1:2:3", "a:b", "1:2.5", "-1:2"}) {
    try {
      StepRange::parse(text, "--profile");
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("allowed: the first and the last of some steps"));
    }
  }
  EXPECT_EQ(StepRange::parse("3:3", "").str(), "3:3");
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.profile = {100, 200};
  try {
    train(config);
    ADD_FAILURE() << "the run has no such steps";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("--profile 100:200: the run has 18 steps; give steps from 1 to 18"));
  }
  EXPECT_FALSE(fs::exists(config.out));
}

}  // namespace
}  // namespace yoke

// `yoke study search` as a user runs it, and the searches of the repository in their short forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <algorithm>
#include <csignal>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class YokeSearch : public testing::Test {
 protected:
  void SetUp() override {
    write_file(directory_.path() / "s.toml",
               "[search]\ntrials = 4\nrungs = 2\nreduction-factor = 2\n[flags]\nmodel = 'mlp'\n"
               "data = 'glyphs:train=512,validation=130'\nepochs = 2\nthreads = 1\n"
               "optimizer = 'sgd'\n[axes]\nlr = { low = 1e-3, high = 0.5, log = true }\n"
               "optimizer.momentum = { low = 0.0, high = 0.9, step = 0.3 }\n");
  }
  std::vector<std::string> words() const {
    return {"study", "search", (directory_.path() / "s.toml").string(), "--out", out().string()};
  }
  fs::path out() const { return directory_.path() / "out"; }
  std::size_t runs() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(out() / "runs")) count += entry.is_directory();
    return count;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(YokeSearch, TrainsTheBestLongerAndWritesTheirRecipe) {
  const auto result = run_yoke(words());
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("4 trials in 2 rungs"), HasSubstr("rung 1 of 2: 4"),
                                   HasSubstr("rung 2 of 2: 2 trials of 2 epochs")));
  EXPECT_THAT(result.output, HasSubstr("[4/4]"));
  EXPECT_THAT(result.output, HasSubstr("\nBest is trial "));
  EXPECT_EQ(runs(), 6U);
  const std::string page = read_file(out() / "report.html");
  EXPECT_THAT(page, AllOf(HasSubstr("What each trial came to"),
                          HasSubstr("Trials over optimizer.momentum")));
  const std::string csv = read_file(out() / "study.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_THAT(csv, HasSubstr("point,case,epochs,lr,optimizer.momentum,repetition"));
  const auto again = run_yoke({"train", "--recipe", (out() / "best.toml").string(), "--out",
                               (directory_.path() / "again").string(), "--max-steps", "1"});
  EXPECT_EQ(again.status, 0) << again.output;
  EXPECT_THAT(read_file(directory_.path() / "again" / "config.toml"),
              AllOf(HasSubstr("optimizer = 'sgd:momentum=0"), HasSubstr("epochs = 2")));
}

TEST_F(YokeSearch, GoesOnAfterItWasKilledAndFindsTheSame) {
  ASSERT_EQ(run_yoke(words()).status, 0);
  const std::string best = read_file(out() / "best.toml");
  fs::remove_all(out());
  auto all = words();
  all.insert(all.begin(), YOKE_PROGRAM);
  {
    test::BackgroundProgram program(all);
    ASSERT_TRUE(test::comes_true(
        [&] { return program.output().find("rung 2 of 2") != std::string::npos; }));
    program.send(SIGKILL);
    program.wait();
  }
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("0 runs completed now, 4 before"));
  EXPECT_EQ(read_file(out() / "best.toml"), best);
  EXPECT_THAT(run_yoke(words()).output, Not(HasSubstr("[1/")));
}

TEST_F(YokeSearch, AddsTrialsToThoseItHas) {
  ASSERT_EQ(run_yoke(words()).status, 0);
  std::string text = read_file(directory_.path() / "s.toml");
  text.replace(text.find("trials = 4"), 10, "trials = 6");
  write_file(directory_.path() / "s.toml", text);
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("2 runs completed now, 4 before"));
}

TEST_F(YokeSearch, SaysWhichTrialsThisMachineCannotRun) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "this machine can run on a GPU";
  const auto path = directory_.path() / "s.toml";
  write_file(path, read_file(path) + "device = ['cpu', 'cuda']\n");
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("skipped: --device is 'cuda', but LibTorch sees no GPU"));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",skipped,"));
  EXPECT_THAT(read_file(out() / "report.html"), HasSubstr("Not run here"));
}

TEST_F(YokeSearch, ReportsOnWhatHasCompletedAlone) {
  auto all = words();
  all.emplace_back("--report-only");
  const auto before = run_yoke(all);
  EXPECT_EQ(before.status, 0) << before.output;
  EXPECT_THAT(before.output, HasSubstr("rung 1 of 2: 0 of 4 runs have completed"));
  EXPECT_FALSE(fs::exists(out() / "best.toml"));
  ASSERT_EQ(run_yoke(words()).status, 0);
  fs::remove(out() / "report.html");
  const auto result = run_yoke(all);
  EXPECT_THAT(result.output, HasSubstr("rung 2 of 2: 2 of 2 runs have completed"));
  EXPECT_TRUE(fs::exists(out() / "report.html"));
}

TEST_F(YokeSearch, PassesOverTrialsThatFail) {
  write_file(directory_.path() / "s.toml",
             "[search]\ntrials = 2\n[flags]\nmodel = 'mlp'\nepochs = 1\nthreads = 1\n"
             "data = 'glyphs:train=512,validation=130'\nbatch-size = 32\n[axes]\n"
             "lr = [0.01, 1e30]\n");
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("the loss is"), HasSubstr("1 trial came to no top-1"),
                                   HasSubstr(": lr 0.01.")));
  EXPECT_THAT(read_file(out() / "best.toml"), HasSubstr("lr = 0.01\n"));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",failed,"));
}

TEST_F(YokeSearch, RefusesBeforeTheFirstRun) {
  write_file(directory_.path() / "s.toml",
             "[search]\ntrials = 2\n[axes]\nbatch-size = { low = 0.5, high = 0.9 }\n");
  auto result = run_yoke(words());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("--batch-size is '0."));
  EXPECT_FALSE(fs::exists(out()));
  result = run_yoke({"study", "search"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("FILE is required"));
  result = run_yoke({"study", (directory_.path() / "s.toml").string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("yoke study search"));
}

std::vector<std::string> searches() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(YOKE_SOURCE_DIR "/recipes/searches")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ShortSearches : public testing::TestWithParam<std::string> {};

TEST_P(ShortSearches, RunToTheirReport) {
  const test::TemporaryDirectory directory;
  const auto out = directory.path() / "out";
  const auto result =
      run_yoke({"study", "search", YOKE_SOURCE_DIR "/recipes/searches/" + GetParam() + ".toml",
                "--short", "--out", out.string()});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(fs::exists(out / "best.toml"));
  EXPECT_THAT(read_file(out / "report.html"), HasSubstr("The search"));
}

INSTANTIATE_TEST_SUITE_P(All, ShortSearches, testing::ValuesIn(searches()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace yoke

// `yoke study` as a user runs it, and every study of the repository in its short form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/file_lock.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::run_yoke;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> studies() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(YOKE_SOURCE_DIR "/recipes/studies")) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string file_of(const std::string& name) {
  return YOKE_SOURCE_DIR "/recipes/studies/" + name + ".toml";
}

class ShortStudies : public testing::TestWithParam<std::string> {};

TEST_P(ShortStudies, RunToTheirReport) {
  const test::TemporaryDirectory directory;
  const auto out = directory.path() / "out";
  const std::vector<std::string> words = {"study", file_of(GetParam()), "--short", "--out",
                                          out.string()};
  const auto result = run_yoke(words);
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string csv = read_file(out / "study.csv");
  EXPECT_THAT(csv, HasSubstr(",completed,"));
  EXPECT_THAT(csv, Not(HasSubstr(",failed,")));
  EXPECT_THAT(csv, Not(HasSubstr("not begun")));
  const std::string page = read_file(out / "report.html");
  EXPECT_THAT(page, HasSubstr("Fastest training"));
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_THAT(read_file(out / "summary.md"), HasSubstr("| best |"));
  EXPECT_THAT(run_yoke(words).output, HasSubstr("0 runs completed now"));
}

INSTANTIATE_TEST_SUITE_P(All, ShortStudies, testing::ValuesIn(studies()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// A study of two points whose runs take seconds.
class YokeStudy : public testing::Test {
 protected:
  void SetUp() override {
    write_file(directory_.path() / "s.toml",
               "[study]\nrepetitions = 2\nwarm-up = 0\n[flags]\nmodel = 'mlp'\n"
               "data = 'glyphs:train=512,validation=130'\nepochs = 1\nthreads = 1\n"
               "[axes]\nbatch-size = [32, 64]\n");
  }
  std::vector<std::string> words() const {
    return {"study", (directory_.path() / "s.toml").string(), "--out", out().string()};
  }
  fs::path out() const { return directory_.path() / "out"; }

  test::TemporaryDirectory directory_;
};

TEST_F(YokeStudy, GoesOnAfterItWasKilled) {
  auto all = words();
  all.insert(all.begin(), YOKE_PROGRAM);
  {
    test::BackgroundProgram program(all);
    ASSERT_TRUE(
        test::comes_true([&] { return program.output().find("[1/4]") != std::string::npos; }));
    program.send(SIGKILL);
    program.wait();
  }
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("4 runs completed now")));
  EXPECT_THAT(read_file(out() / "study.csv"), Not(HasSubstr("not begun")));
}

TEST_F(YokeStudy, StopsAtASignalAndSaysHowToGoOn) {
  write_file(directory_.path() / "s.toml",
             "[study]\nrepetitions = 2\nwarm-up = 0\n[flags]\nmodel = 'mlp'\n"
             "data = 'glyphs:train=512,validation=130'\nthreads = 1\n"
             "[axes]\nepochs = [1, 1_000_000_000]\n");  // the second run does not end by itself
  auto all = words();
  all.insert(all.begin(), YOKE_PROGRAM);
  test::BackgroundProgram program(all);
  ASSERT_TRUE(
      test::comes_true([&] { return program.output().find("[1/4]") != std::string::npos; }));
  program.send(SIGTERM);
  const auto result = program.wait();
  EXPECT_EQ(result.status, 75) << result.output;
  EXPECT_THAT(result.output, HasSubstr("the same command goes on"));
  EXPECT_TRUE(fs::exists(out() / "report.html"));
}

TEST_F(YokeStudy, WritesFilesForASchedulerAndRunsNothing) {
  write_file(directory_.path() / "s.toml",
             "[study]\nrepetitions = 1\nwarm-up = 0\n[axes]\nnodes = [2]\nlr = [1, 2]\n");
  auto all = words();
  all.insert(all.end(), {"--emit", "slurm", "--data-dir", "my data"});
  const auto result = run_yoke(all);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("2 of 2 runs are left"));
  EXPECT_THAT(result.output, HasSubstr((out() / "slurm" / "submit.sh").string()));
  EXPECT_TRUE(fs::exists(out() / "slurm" / "2x1.sh"));
  EXPECT_THAT(read_file(out() / "slurm" / "report.sh"),
              HasSubstr("--report-only --data-dir 'my data' --format html\n"));
  EXPECT_THAT(read_file(out() / "runs" / "lr=1-r1.toml"), HasSubstr("data-dir = 'my data'"));
  EXPECT_FALSE(fs::exists(out() / "runs" / "lr=1-r1"));
}

TEST_F(YokeStudy, ReportsOnWhatHasCompletedAlone) {
  auto all = words();
  ASSERT_EQ(run_yoke(all).status, 0);
  fs::remove_all(out() / "runs" / "batch-size=32-r2");
  fs::remove(out() / "report.html");
  all.emplace_back("--report-only");
  const auto result = run_yoke(all);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("3 of 4 runs have completed"));
  EXPECT_TRUE(fs::exists(out() / "report.html"));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr("not begun"));
  EXPECT_FALSE(fs::exists(out() / "runs" / "batch-size=32-r2"));
}

TEST_F(YokeStudy, IsPublishedWithoutPathsAndSinglePointsAndKeepsWhatAPersonWrote) {
  if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "no /usr/bin/python3 for scripts";
  auto all = words();
  all.insert(all.end(), {"--format", "md"});
  ASSERT_EQ(run_yoke(all).status, 0);
  const auto publish = [&] {
    return test::run_program({std::string(YOKE_SOURCE_DIR) + "/scripts/publish-study",
                              out().string(), "two", "--to", directory_.path().string()});
  };
  const auto first = publish();
  ASSERT_EQ(first.status, 0) << first.output;
  const fs::path folder = directory_.path() / "two";
  const std::string page = read_file(folder / "README.md");
  EXPECT_THAT(page, testing::AllOf(HasSubstr("runs/two/runs/batch-size=32-r1"),
                                   HasSubstr("](report-graphs/training-time.svg)"),
                                   Not(HasSubstr(directory_.path().string())),
                                   Not(HasSubstr("/yoke train")), Not(HasSubstr("\n| host |")),
                                   Not(HasSubstr("processor-1"))));
  EXPECT_THAT(read_file(folder / "study.csv"), Not(HasSubstr(directory_.path().string())));
  const auto size = [](const fs::path& root) {
    return fs::file_size(root / "report-graphs" / "training-time.svg");
  };
  EXPECT_LT(size(folder), size(out()));

  fs::remove_all(out() / "runs" / "batch-size=32-r2");
  all.emplace_back("--report-only");
  ASSERT_EQ(run_yoke(all).status, 0);
  ASSERT_THAT(read_file(out() / "study.csv"), HasSubstr("not begun"));
  const auto end = page.find("## In short");
  write_file(folder / "README.md", page.substr(0, end) + "By hand.\n\n" + page.substr(end));
  ASSERT_EQ(publish().status, 0);
  EXPECT_THAT(read_file(folder / "README.md"), HasSubstr("By hand.\n\n## In short"));
  EXPECT_THAT(read_file(folder / "study.csv"), Not(HasSubstr("not begun")));

  write_file(folder / "README.md", "# Others\n");
  EXPECT_THAT(publish().output, HasSubstr("is of another study"));
  EXPECT_EQ(read_file(folder / "README.md"), "# Others\n");
}

TEST_F(YokeStudy, RefusesSchedulersThatItDoesNotKnowAndHostsBesideThem) {
  auto all = words();
  all.insert(all.end(), {"--emit", "pbs"});
  auto result = run_yoke(all);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("allowed: kubernetes, slurm"));
  all.back() = "slurm";
  all.insert(all.end(), {"--hosts", "a"});
  EXPECT_EQ(run_yoke(all).status, 2);
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(YokeStudy, RefusesNoRunsAtATimeAndSaysWhatIsAllowed) {
  auto all = words();
  all.insert(all.end(), {"--jobs", "0"});
  const auto result = run_yoke(all);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(
      result.output,
      HasSubstr("--jobs: '0' is given; allowed: a number above 0; run 'yoke study --help'"));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(YokeStudy, RefusesAFormatBeforeTheFirstRun) {
  auto all = words();
  all.insert(all.end(), {"--format", "jpg"});
  const auto result = run_yoke(all);
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("allowed: html, md, pdf, svg, png"));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(YokeStudy, ReportsBeforeTheFirstRunThatNothingHasCompleted) {
  auto all = words();
  all.emplace_back("--report-only");
  const auto result = run_yoke(all);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("0 of 4 runs have completed"));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr("not begun"));
}

TEST_F(YokeStudy, IsNotRunByTwoProcessesAtOnce) {
  fs::create_directories(out());
  const FileLock another(out() / ".lock");
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("another yoke study runs what goes into"));
  EXPECT_FALSE(fs::exists(out() / "runs"));
}

TEST_F(YokeStudy, WritesItsTablesWhenARunEndsWithWrongUsage) {
  write_file(directory_.path() / "s.toml",
             "[study]\nrepetitions = 1\nwarm-up = 0\n[flags]\nmodel = 'mlp'\nthreads = 1\n"
             "epochs = 1\n[axes]\ndata = ['glyphs:train=512,validation=130', 'mnist']\n"
             "data-dir = ['/absent']\n");
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("yoke data fetch mnist"));
  EXPECT_THAT(result.output, Not(HasSubstr("yoke: yoke:")));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",completed,"));
}

TEST_F(YokeStudy, SkipsWhatThisMachineCannotRunAndSaysWhy) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "this machine can run on a GPU";
  const auto study_on = [&](const std::string& devices, const std::string& lr) {
    write_file(directory_.path() / "s.toml",
               "[study]\nrepetitions = 2\nwarm-up = 0\n[flags]\nmodel = 'mlp'\n"
               "data = 'glyphs:train=512,validation=130'\nepochs = 1\nthreads = 1\nlr = " +
                   lr + "\n[axes]\ndevice = " + devices + "\n");
    return run_yoke(words());
  };
  const auto diverged = study_on("['cuda', 'cpu']", "1e30");
  EXPECT_EQ(diverged.status, 1) << diverged.output;
  EXPECT_THAT(diverged.output, HasSubstr("2 failed, 2 skipped, 0 left"));
  const auto some = study_on("['cuda', 'cpu']", "0.1");
  EXPECT_EQ(some.status, 0) << some.output;
  EXPECT_THAT(some.output,
              HasSubstr("2 runs completed now, 0 before, 0 failed, 2 skipped, 0 left"));
  EXPECT_THAT(read_file(out() / "report.html"),
              testing::ContainsRegex("In short.*Not run here.*LibTorch sees no GPU.*Learning"));
  EXPECT_THAT(read_file(out() / "study.csv"), HasSubstr(",skipped,"));
  const auto none = study_on("['cuda']", "0.1");
  EXPECT_EQ(none.status, 69);
  EXPECT_THAT(none.output, HasSubstr("yoke: --device is 'cuda', but LibTorch sees no GPU"));
}

TEST_F(YokeStudy, RefusesFlagsBeforeTheFirstRun) {
  write_file(directory_.path() / "s.toml", "[axes]\nbatch-size = [32, 'many']\n");
  const auto result = run_yoke(words());
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("--batch-size is 'many'"));
  EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace yoke

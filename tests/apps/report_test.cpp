// `yoke report` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;

class YokeReport : public testing::Test {
 protected:
  void train(const std::string& name, const std::string& batch_size) const {
    const auto result = run_yoke(
        {"train", "--model", "mlp", "--data", "glyphs:train=512,validation=130", "--epochs", "2",
         "--threads", "1", "--print-every", "2", "--batch-size", batch_size, "--checkpoint-every",
         "1epoch", "--tensorboard", "off", "--out", path(name)});
    ASSERT_EQ(result.status, 0) << result.output;
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  test::TemporaryDirectory directory_;
};

TEST_F(YokeReport, TellsOfATraining) {
  train("run", "64");
  const auto result = run_yoke({"report", path("run")});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, path("run/report.html") + "\n");
  EXPECT_THAT(read_file(path("run/report.html")),
              AllOf(HasSubstr("mlp on glyphs:train=512,validation=130: the run completed"),
                    HasSubstr(">evaluating<"), HasSubstr(">checkpointing<"),
                    HasSubstr("What images of each class were taken for")));
}

TEST_F(YokeReport, ComparesRunsAndWritesOtherFormats) {
  train("a", "32");
  train("b", "64");
  const auto result = run_yoke({"report", path("a"), path("b"), "--out", path("c.html"), "--format",
                                "html,pdf,png", "--title", "Two sizes"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(read_file(path("c.html")),
              AllOf(HasSubstr("<h1>Two sizes</h1>"), HasSubstr("A batch of 32 trains in")));
  EXPECT_TRUE(fs::exists(path("c.pdf")));
  EXPECT_TRUE(fs::exists(path("c-graphs/time-over-batch-size.png")));
}

TEST_F(YokeReport, OpensInABrowserWithoutErrorsOrNetwork) {
  const std::string chromium = "/usr/bin/chromium";
  if (!fs::exists(chromium)) {
    GTEST_SKIP() << "Chromium is missing; Debian's package is chromium";
  }
  train("run", "64");
  ASSERT_EQ(run_yoke({"report", path("run")}).status, 0);
  const auto result = test::run_program(
      {chromium, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
       "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + path("profile"), "--dump-dom",
       "file://" + path("run/report.html")});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("</svg>"), HasSubstr("the run completed")));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("CONSOLE")));  // what a page complains of
}

TEST_F(YokeReport, RefusesWhatIsNoRun) {
  const auto result = run_yoke({"report", path("absent")});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("is no run directory"));
}

TEST_F(YokeReport, ServesAPageUntilItIsStopped) {
  train("run", "64");
  test::BackgroundProgram program({YOKE_PROGRAM, "report", path("run"), "--live"});
  ASSERT_TRUE(test::comes_true(
      [&] { return program.output().find("http://127.0.0.1:") != std::string::npos; }));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, 0);
  EXPECT_FALSE(fs::exists(path("run/report.html")));
}

}  // namespace
}  // namespace yoke

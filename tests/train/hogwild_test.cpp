// Whole runs whose ranks do not wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "tests/train/run.h"
#include "yoke/core/file.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

class HogwildRun : public testing::Test {
 protected:
  /// 3000 images in batches of 20 for each of `workers`, three epochs.
  std::vector<std::string> arguments(const std::string& strategy,
                                     const std::vector<std::string>& more = {},
                                     const std::string& lr = "0.01") const {
    std::vector<std::string> words = {"train",
                                      "--strategy",
                                      strategy,
                                      "--model",
                                      "mlp",
                                      "--data",
                                      "glyphs:train=3000,validation=100",
                                      "--epochs",
                                      "3",
                                      "--batch-size-per-rank",
                                      "20",
                                      "--lr",
                                      lr,
                                      "--out",
                                      out().string(),
                                      "--tensorboard",
                                      "off",
                                      "--progress",
                                      "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::filesystem::path out() const { return folder_.path() / "run"; }
  nlohmann::json summary() const {
    return nlohmann::json::parse(read_file(out() / "summary.json"));
  }

  TemporaryDirectory folder_;
};

TEST_F(HogwildRun, TrainsWithThreadsOfOneProcess) {
  const auto result = run_yoke(arguments("hogwild:workers=3"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(summary().at("world_size"), 3);
  EXPECT_EQ(summary().at("steps"), 150);  // 50 batches of 60 an epoch
  EXPECT_EQ(reports(out()).back().at("step"), 150);
  EXPECT_GT(summary().at("val_top1").get<double>(), 0.5);
  EXPECT_EQ(summary().at("images_seen"), 9000);
  EXPECT_GT(summary().at("counters").at("updates").get<double>(), 0);
}

TEST_F(HogwildRun, TrainsWithProcesses) {
  for (const auto& result : run_yoke_ranks(2, arguments("hogwild"))) {
    ASSERT_EQ(result.status, 0) << result.output;
  }
  EXPECT_EQ(summary().at("world_size"), 2);
  EXPECT_GT(summary().at("val_top1").get<double>(), 0.5);
}

TEST_F(HogwildRun, GoesOnFromACheckpoint) {
  const auto part = run_yoke(
      arguments("hogwild:workers=2", {"--max-steps", "110", "--checkpoint-every", "50steps"}));
  ASSERT_EQ(part.status, 0) << part.output;
  const auto rest =
      run_yoke(arguments("hogwild:workers=2", {"--max-steps", "225", "--resume", "auto"}));
  ASSERT_EQ(rest.status, 0) << rest.output;
  EXPECT_EQ(summary().at("steps"), 225);
  EXPECT_GT(summary().at("val_top1").get<double>(), 0.5);
}

TEST_F(HogwildRun, RefusesThreadsInSeveralProcesses) {
  for (const auto& result : run_yoke_ranks(2, arguments("hogwild:workers=2"))) {
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("leave workers out"));
  }
  EXPECT_FALSE(std::filesystem::exists(out()));
}

TEST_F(HogwildRun, TellsWhatWentWrongInOneWorker) {
  const auto result = run_yoke(arguments("hogwild:workers=3", {}, "100000"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("the loss is"));
}

}  // namespace
}  // namespace yoke::test

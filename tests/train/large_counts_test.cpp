// tests/train/large_counts_test.cpp: counts beyond 32 bits, and as large as can be given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/train/run.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kFar = 5'000'000'000;  // more steps than 32 bits count

/// A run of four steps that saves each second one.
TrainConfig four_steps(const fs::path& out) {
  auto config = small_run(out);
  config.max_steps = 4;
  config.print_every = 1;
  config.keep = 100;
  config.checkpoint_every = Interval::parse("2steps", "");
  return config;
}

struct Large {
  const char* name;
  void (*set)(TrainConfig&);
};

void PrintTo(const Large& large, std::ostream* out) { *out << large.name; }

class LargeCount : public testing::TestWithParam<Large> {};

TEST_P(LargeCount, TrainsAsAnyOther) {
  const TemporaryDirectory directory;
  auto config = four_steps(directory.path() / "run");
  GetParam().set(config);
  const auto summary = train(config).summary;
  EXPECT_EQ(summary.at("status"), "completed");
  EXPECT_EQ(summary.at("steps"), 4);
}

INSTANTIATE_TEST_SUITE_P(
    Flags, LargeCount,
    testing::Values(Large{"epochs", [](TrainConfig& config) { config.epochs = kMost; }},
                    Large{"keep", [](TrainConfig& config) { config.keep = kMost; }},
                    Large{"print_every", [](TrainConfig& config) { config.print_every = kMost; }},
                    Large{"ema",
                          [](TrainConfig& config) {
                            config.epochs = kMost;
                            config.ema = "every=" + std::to_string(kMost) + ",start=1";
                          }},
                    Large{"micro_batch", [](TrainConfig& config) { config.micro_batch = kMost; }},
                    Large{"check_every",
                          [](TrainConfig& config) {
                            config.strategy = "allreduce:check_every=" + std::to_string(kMost);
                          }},
                    Large{"every",
                          [](TrainConfig& config) {
                            config.strategy = "averaging:every=" + std::to_string(kMost);
                          }}),
    [](const auto& info) { return info.param.name; });

/// The run of four steps, and `out` as if its second step had been step kFar.
fs::path far_on(const fs::path& directory) {
  const auto near = directory / "near", far = directory / "far";
  train(four_steps(near));
  auto checkpoint = read_checkpoint(near / "checkpoints" / "step-00000002");
  auto& run = checkpoint.state.at("run");
  run["images_seen"] = run.at("images_seen").get<std::int64_t>() / 2 * kFar;
  run["step"] = checkpoint.step = kFar;
  write_checkpoint(far / "checkpoints", checkpoint);
  return far;
}

TEST(LargeCounts, OfStepsAndImagesGoOn) {
  const TemporaryDirectory directory;
  auto config = four_steps(far_on(directory.path()));
  config.epochs = kMost;
  config.max_steps = kFar + 4;
  config.schedule = "cosine";
  config.tensorboard = true;
  config.resume = "auto";
  const auto summary = train(config).summary;
  EXPECT_EQ(summary.at("steps"), kFar + 4);
  EXPECT_EQ(summary.at("images_seen"), 100 * kFar + 312);  // a last step of 12 is among them
  const auto found = step_reports(config.out);
  ASSERT_EQ(found.size(), 4);
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto& report = found[static_cast<std::size_t>(i)];
    EXPECT_EQ(report.at("step"), kFar + i + 1);
    EXPECT_NEAR(report.at("epoch").get<double>(), static_cast<double>(kFar + i + 1) / 6, 1e-3);
    EXPECT_TRUE(std::isfinite(report.at("loss").get<double>()));
  }
}

TEST(LargeCounts, OfStepsAreComparedAsNumbersWhereACheckpointIsNamed) {
  const TemporaryDirectory directory;
  auto config = four_steps(far_on(directory.path()));
  const auto checkpoints = config.out / "checkpoints";
  auto before = read_checkpoint(checkpoints / "step-5000000000");
  before.state.at("run")["step"] = before.step = 99'999'998;
  write_checkpoint(checkpoints, before);
  config.resume = (checkpoints / "step-99999998").string();
  config.epochs = kMost;
  config.max_steps = 99'999'999;
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  train(config, {}, context);
  EXPECT_THAT(shown.str(), HasSubstr("resumed    at step 99999998"));
}

}  // namespace
}  // namespace yoke::test

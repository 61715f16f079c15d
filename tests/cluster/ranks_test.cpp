// A training that goes on with another number of ranks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/cluster/training.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

constexpr int kEpochs = 8;

class AnotherNumberOfRanks : public testing::Test {
 protected:
  ProgramResult run(int ranks, const std::string& arguments) const {
    return run_program(yoke_in(folder_.path(), fmt::format("run -np {} {}", ranks, arguments)));
  }

  /// A run of two ranks, slow enough to be stopped by a signal after some steps.
  void stop_two(const fs::path& out) const {
    BackgroundProgram program(yoke_in(
        folder_.path(),
        "run -np 2 " + training(out, kEpochs,
                                "--checkpoint-every 1000steps "
                                "--comm throttle:over=shared-memory,latency_milliseconds=20")));
    ASSERT_TRUE(comes_true([&] { return steps_reported(out) >= 13; })) << program.output();
    program.send(SIGTERM);
    const auto result = program.wait();
    ASSERT_EQ(result.status, 75) << result.output;
    ASSERT_EQ(summary(out).at("status"), "stopped");
    ASSERT_LT(summary(out).at("steps"), 10 * kEpochs);
  }

  TemporaryDirectory folder_;
};

TEST_F(AnotherNumberOfRanks, EndsLikeAnUninterruptedRun) {
  const auto whole = folder_.path() / "whole", part = folder_.path() / "part";
  const auto uninterrupted = run(2, training(whole, kEpochs));
  ASSERT_EQ(uninterrupted.status, 0) << uninterrupted.output;
  ASSERT_NO_FATAL_FAILURE(stop_two(part));
  for (const int ranks : {1, 3}) {
    const auto rest = folder_.path() / fmt::format("rest-{}", ranks);
    fs::copy(part, rest, fs::copy_options::recursive);
    const auto result =
        run(ranks, fmt::format("train --resume auto --comm auto --out {}", rest.string()));
    ASSERT_EQ(result.status, 0) << result.output;
    expect_whole(rest, kEpochs, ranks);
    expect_close_runs(whole, rest);
  }
}

TEST_F(AnotherNumberOfRanks, SharesOutTheCoresAnew) {
  const std::string short_run =
      "train --model mlp --data glyphs:train=300,validation=100 --batch-size 60 --tensorboard off "
      "--resources off --checkpoint-every 1epoch --progress none ";
  const auto alone = folder_.path() / "alone", together = folder_.path() / "together";
  ASSERT_EQ(run(1, short_run + "--epochs 1 --out alone").status, 0);
  ASSERT_EQ(run(2, short_run + "--epochs 1 --out together").status, 0);
  ASSERT_EQ(run(1, "train --resume auto --epochs 2 --out together").status, 0);
  for (const char* const key : {"threads", "replicas"}) {
    EXPECT_EQ(summary(together).at(key), summary(alone).at(key)) << key;
  }
}

}  // namespace
}  // namespace yoke::test

// Optimizer state split over ranks: checkpoints are those of any number of ranks, split or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/train/run.h"
#include "yoke/core/files/safetensors.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

/// How ranks train.
struct Ranks {
  int count = 1;
  bool split = false;
  std::string comm = "auto";

  std::string str() const {
    return fmt::format("{} {} {}", count, split ? "split" : "whole", comm);
  }
};

constexpr int kHalf = 5, kAll = 9;  // steps, 4 an epoch, the last of which has 50 images

/// Trains up to step `steps`, from the checkpoint in `out` if there is one.
void train_to(int steps, const Ranks& ranks, const fs::path& out) {
  auto arguments = train_words(
      out,
      fmt::format(
          "--model mlp:hidden=61,layers=1 --data glyphs:train=350,validation=70 "
          "--batch-size 100 --micro-batch 16 --optimizer adamw:weight_decay=0.1 "
          "--lr 0.01 --schedule constant --max-steps {} --checkpoint-every 1000steps --threads 1 "
          "--print-every 1",
          steps));
  const std::string strategy = ranks.split ? "allreduce:shard_state=true" : "allreduce";
  arguments.insert(arguments.end(), {"--strategy", strategy, "--comm", ranks.comm});
  if (fs::exists(out)) arguments.insert(arguments.end(), {"--resume", "auto"});
  for (const auto& result : run_yoke_ranks(ranks.count, arguments)) {
    ASSERT_EQ(result.status, 0) << ranks.str() << "\n" << result.output;
  }
}

/// The state of the optimizer after the last step.
NamedTensors state_in(const fs::path& out) {
  const auto step = fmt::format("step-{:08}", kAll);
  return read_safetensors(out / "checkpoints" / step / "optimizer.safetensors");
}

class ShardStateResumes : public testing::Test {
 protected:
  /// A run of kAll steps, begun by some ranks and ended by others.
  fs::path run(const Ranks& first, const Ranks& then) const {
    const fs::path half = folder_.path() / ("half of " + first.str());
    if (!fs::exists(half)) train_to(kHalf, first, half);
    const fs::path out = folder_.path() / (first.str() + " then " + then.str());
    fs::copy(half, out, fs::copy_options::recursive);
    train_to(kAll, then, out);
    return out;
  }

  fs::path uninterrupted(const Ranks& ranks) const {
    const fs::path out = folder_.path() / ranks.str();
    train_to(kAll, ranks, out);
    return out;
  }

  TemporaryDirectory folder_;
};

void expect_equal(const fs::path& expected, const fs::path& found) {
  EXPECT_EQ(step_reports(expected), step_reports(found)) << found;
  EXPECT_EQ(read_file(expected / "model.safetensors"), read_file(found / "model.safetensors"));
  const auto a = state_in(expected), b = state_in(found);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(a[i].second.equal(b[i].second)) << a[i].first << " of " << found;
  }
}

/// But for the order in which numbers are added up.
void expect_close(const fs::path& expected, const fs::path& found) {
  const auto losses = step_reports(expected), others = step_reports(found);
  ASSERT_EQ(losses.size(), others.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i].at("loss").get<double>(), others[i].at("loss").get<double>(), 1e-4) << i;
  }
  const auto a = state_in(expected), b = state_in(found);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i].second.allclose(b[i].second, 1e-2, 1e-5)) << a[i].first << " of " << found;
  }
}

TEST_F(ShardStateResumes, BitForBitOnAsManyRanksSplitOrNot) {
  const Ranks split{.count = 2, .split = true}, whole{.count = 2};
  const auto expected = uninterrupted(whole);
  expect_equal(expected, uninterrupted(split));
  expect_equal(expected, run(split, split));
  expect_equal(expected, run(split, whole));
  expect_equal(expected, run(whole, split));
}

TEST_F(ShardStateResumes, OnOtherNumbersOfRanks) {
  const auto expected = uninterrupted({.count = 1});
  const Ranks two{.count = 2, .split = true}, three{.count = 3, .split = true, .comm = "gloo"};
  expect_close(expected, run(two, {.count = 1}));
  expect_close(expected, run(two, three));
  expect_close(expected, run(three, {.count = 2}));
  expect_close(expected, run({.count = 1}, three));
}

}  // namespace
}  // namespace yoke::test

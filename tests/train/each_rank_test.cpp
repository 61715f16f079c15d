// tests/train/each_rank_test.cpp: what ranks have by themselves, before the mean of their
// parameters.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/train/run.h"
#include "yoke/run/layout.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr int kRanks = 3;

std::vector<std::string> arguments(const fs::path& out, const std::string& strategy,
                                   const std::string& more, const std::string& lr = "0.05") {
  return train_words(
      out, fmt::format("--strategy {} --model lenet --data glyphs:train=2400,validation=103 "
                       "--batch-size 60 --optimizer sgd:momentum=0.9 --threads 1 --lr {} {}",
                       strategy, lr, more));
}

/// The evaluations of a run of kRanks.
std::vector<Metrics> evaluations(const fs::path& out, const std::string& strategy,
                                 const std::string& more, const std::string& lr = "0.05") {
  run_ranks_well(kRanks, arguments(out, strategy, more, lr));
  auto reports = read_metrics(RunDirectory{out}.metrics()).lines;
  std::erase_if(reports, [](const Metrics& report) { return report.split != "val"; });
  return reports;
}

class EachRank : public testing::Test {
 protected:
  fs::path out(const std::string& name) const { return folder_.path() / name; }

 private:
  const TemporaryDirectory folder_;
};

/// Of two runs whose ranks are in the same place after an epoch, one has its mean there.
TEST_F(EachRank, IsMeasuredBeforeTheMeanOfTheRound) {
  const std::string strategy = "averaging:every=end,start=own,evaluate=each";
  const auto met = evaluations(out("one"), strategy, "--epochs 1");
  const auto apart = evaluations(out("two"), strategy, "--epochs 2");
  ASSERT_THAT(met, SizeIs(1));
  ASSERT_THAT(apart, SizeIs(2));
  EXPECT_THAT(met[0].rank_top1, SizeIs(kRanks));
  EXPECT_EQ(met[0].rank_top1, apart[0].rank_top1);
  EXPECT_EQ(met[0].top1, apart[0].top1) << "an evaluation takes the mean for the while";
  EXPECT_NE(apart[0].rank_top1, apart[1].rank_top1);
  const auto [least, most] = std::minmax_element(met[0].rank_top1.begin(), met[0].rank_top1.end());
  EXPECT_LT(*least, *most) << "ranks that began apart are not equally good";
  EXPECT_LT(met[0].top1, *least) << "a mean of networks that began apart is none";
}

TEST_F(EachRank, IsTheMeanWhereRanksHaveNotLeftIt) {
  const auto found = evaluations(out("still"), "averaging:every=2,evaluate=each", "--epochs 1",
                                 /*lr=*/"0");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].rank_top1, SizeIs(kRanks));
  EXPECT_THAT(found[0].rank_top1, Each(found[0].top1));
}

TEST_F(EachRank, ChangesNothingOfTheTraining) {
  const std::string strategy = "averaging:every=4,outer=nesterov,momentum=reset";
  const std::string more = "--epochs 2 --eval-every 4steps";
  const auto without = evaluations(out("without"), strategy, more);
  const auto with = evaluations(out("with"), strategy + ",evaluate=each", more);
  EXPECT_EQ(read_file(RunDirectory{out("without")}.weights()),
            read_file(RunDirectory{out("with")}.weights()));
  auto measured = reports(out("with"));
  for (auto& report : measured) report.erase("rank_top1");
  EXPECT_EQ(reports(out("without")), measured);
  EXPECT_EQ(summary(out("without")).at("counters"), summary(out("with")).at("counters"));
  EXPECT_THAT(without.back().rank_top1, IsEmpty());
  EXPECT_FALSE(summary(out("without")).contains("rank_val_top1"));
}

TEST_F(EachRank, StandsInTheSummaryAndOnTheScreen) {
  const auto found = evaluations(out("run"), "averaging:every=end,evaluate=each", "--epochs 1");
  const auto told = summary(out("run")).at("rank_val_top1");
  EXPECT_EQ(told.at("each").get<std::vector<double>>(), found.back().rank_top1);
  EXPECT_LE(told.at("least"), told.at("mean"));
  EXPECT_LE(told.at("mean"), told.at("most"));
  EXPECT_EQ(told.at("most"),
            *std::max_element(found.back().rank_top1.begin(), found.back().rank_top1.end()));
  EXPECT_THAT(read_file(RunDirectory{out("run")}.console()), HasSubstr("3 ranks by themselves: "));
}

TEST_F(EachRank, IsKeptByACheckpoint) {
  const std::string strategy = "averaging:every=end,evaluate=each";
  evaluations(out("run"), strategy, "--epochs 1 --checkpoint-every 1epoch");
  const auto told = summary(out("run")).at("rank_val_top1");
  run_ranks_well(kRanks, arguments(out("run"), strategy, "--epochs 1 --resume auto"));
  EXPECT_EQ(summary(out("run")).at("rank_val_top1"), told);
}

TEST_F(EachRank, IsNotMeasuredBesideAMeanOfWeights) {
  for (const auto& result :
       run_yoke_ranks(2, arguments(out("run"), "averaging:evaluate=each", "--ema 0.9"))) {
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.output, HasSubstr("leave out evaluate=each or --ema"));
  }
}

}  // namespace
}  // namespace yoke::test

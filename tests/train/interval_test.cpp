#include "yoke/train/config/interval.h"

#include <gtest/gtest.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

std::vector<std::int64_t> due_steps(const char* text, std::int64_t steps_per_epoch) {
  const auto interval = Interval::parse(text, "--every");
  std::vector<std::int64_t> due;
  for (std::int64_t step = 1; step <= 12; ++step) {
    if (interval.due(step, Epochs(steps_per_epoch), 0)) due.push_back(step);
  }
  return due;
}

using Steps = std::vector<std::int64_t>;

TEST(Interval, IsDueAfterSoManySteps) { EXPECT_EQ(due_steps("5steps", 7), (Steps{5, 10})); }

TEST(Interval, IsDueAfterEpochsAndTheirFractions) {
  EXPECT_EQ(due_steps("1epoch", 4), (Steps{4, 8, 12}));
  EXPECT_EQ(due_steps("2epochs", 4), (Steps{8}));
  EXPECT_EQ(due_steps("0.5epochs", 5), (Steps{3, 5, 8, 10}));  // 2.5, 5, 7.5, 10
  EXPECT_EQ(due_steps("0.1epoch", 4).size(), 12u);             // every step, if shorter
}

TEST(Interval, FollowsEpochsOfDifferentLengths) {
  const Epochs epochs(SizesByEpoch::parse("0:4,2:2", "steps", {.most = 9, .example = ""}));
  const auto due_steps = [&](const char* text) {
    std::vector<std::int64_t> due;
    for (std::int64_t step = 1; step <= 12; ++step) {
      if (Interval::parse(text, "--every").due(step, epochs, 0)) due.push_back(step);
    }
    return due;
  };
  EXPECT_EQ(due_steps("1epoch"), (Steps{4, 8, 10, 12}));
  EXPECT_EQ(due_steps("0.5epochs"), (Steps{2, 4, 6, 8, 9, 10, 11, 12}));
  EXPECT_EQ(due_steps("3epochs"), (Steps{10}));
}

TEST(Interval, IsDueAfterMinutes) {
  const auto interval = Interval::parse("2min", "--every");
  EXPECT_FALSE(interval.due(1, Epochs(1), 119));
  EXPECT_TRUE(interval.due(1, Epochs(1), 120));
}

TEST(Interval, OffIsNeverDue) { EXPECT_EQ(due_steps("off", 1), Steps{}); }

TEST(Interval, RejectsWhatItCannotRead) {
  for (const char* text : {"", "5", "steps", "-1steps", "0epoch", "1.5steps", "5 steps", "nanepoch",
                           "infmin", "1hour"}) {
    EXPECT_THROW(Interval::parse(text, "--every"), UsageError) << text;
  }
}

}  // namespace
}  // namespace yoke

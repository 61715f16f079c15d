#include "yoke/core/epochs.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

SizesByEpoch sizes(const char* text) {
  return SizesByEpoch::parse(text, "steps", {.most = 1'000'000, .example = ""});
}

TEST(Epochs, CountTheirSteps) {
  for (const char* const text : {"1", "5", "0:3,1:7", "0:4,2:1,3:6", "0:1,40:9"}) {
    SCOPED_TRACE(text);
    const Epochs epochs(sizes(text));
    std::int64_t step = 0;
    for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
      EXPECT_EQ(epochs.first_step(epoch), step);
      EXPECT_EQ(epochs.steps(epoch), sizes(text).at(epoch));
      for (std::int64_t place = 0; place < epochs.steps(epoch); ++place, ++step) {
        EXPECT_EQ(epochs.at(step), epoch);
        EXPECT_EQ(epochs.place(step), place);
        EXPECT_EQ(epochs.starts(step), place == 0);
        const double passed = static_cast<double>(epoch) +
                              static_cast<double>(place) / static_cast<double>(epochs.steps(epoch));
        EXPECT_DOUBLE_EQ(epochs.passed(step), passed);
        EXPECT_EQ(epochs.steps_until(passed), step);
      }
    }
  }
}

TEST(Epochs, HaveAsManyStepsAsBatchesHoldAllImages) {
  const auto epochs = Epochs::of(100, sizes("0:10,2:33,4:100"));
  std::vector<std::int64_t> steps;
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) steps.push_back(epochs.steps(epoch));
  EXPECT_EQ(steps, (std::vector<std::int64_t>{10, 10, 4, 4, 1, 1}));
}

TEST(Epochs, AfterSomeStepsAreThoseThatAreLeft) {
  const Epochs epochs(sizes("0:4,2:3,5:1"));
  for (const std::int64_t passed : {0, 1, 2, 4, 6}) {
    const auto left = epochs.after(epochs.first_step(passed));
    for (std::int64_t epoch = 0; epoch < 8; ++epoch) {
      EXPECT_EQ(left.steps(epoch), epochs.steps(passed + epoch)) << passed << " " << epoch;
    }
  }
  EXPECT_EQ(epochs.after(5).first_step(2), epochs.after(8).first_step(2));  // one has begun
  EXPECT_EQ(Epochs(4).after(5).first_step(3), 12);
}

TEST(Epochs, EndWhereNumbersDo) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Epochs(3).first_step(kMost), kMost);
  EXPECT_EQ(Epochs(sizes("0:3,7:5")).first_step(kMost / 2), kMost);
  EXPECT_EQ(Epochs(1).first_step(kMost), kMost);
  EXPECT_EQ(Epochs(3).at(kMost), kMost / 3);
  EXPECT_EQ(Epochs(3).steps_until(1e300), kMost);
}

TEST(Epochs, HaveAStepEach) {
  EXPECT_THROW(Epochs{SizesByEpoch()}, Error);
  EXPECT_THROW(Epochs{0}, Error);
  EXPECT_THROW(Epochs{-1}, Error);
}

}  // namespace
}  // namespace yoke::test

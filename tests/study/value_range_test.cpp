// Numbers drawn from a range.
#include "yoke/study/search/value_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "yoke/core/parse_number.h"

namespace yoke::study {
namespace {

using testing::ElementsAre;

std::vector<double> draws(const ValueRange::Ends& ends, int count) {
  const ValueRange range(ends);
  RandomStream stream(1, 0, 0, Purpose::kTest);
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(parse_number<double>(range.draw(stream)).value());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(ValueRanges, DrawNumbersOfTheirEnds) {
  constexpr int kCount = 4001;
  const auto even = draws({.low = 2, .high = 6.5}, kCount);
  EXPECT_GE(even.front(), 2);
  EXPECT_LE(even.back(), 6.5);
  EXPECT_NEAR(even[kCount / 2], 4.25, 0.2);  // six deviations of a median are 0.21
  const auto log = draws({.low = 1e-4, .high = 1e-1, .log = true}, kCount);
  EXPECT_NEAR(std::log10(log[kCount / 2]), -2.5, 0.15);
  EXPECT_NEAR(std::log10(log[kCount / 4]), -3.25, 0.15);
}

TEST(ValueRanges, DrawEachWholeNumberAlike) {
  constexpr int kCount = 6000;
  for (const bool whole : {true, false}) {
    const auto all = draws({.low = 2, .high = 6, .step = 2, .whole = whole}, kCount);
    EXPECT_THAT(std::set<double>(all.begin(), all.end()), ElementsAre(2, 4, 6));
    for (const double value : {2.0, 4.0, 6.0}) {
      EXPECT_NEAR(std::count(all.begin(), all.end(), value), kCount / 3, 220);
    }
  }
  const auto log = draws({.low = 1, .high = 3, .log = true, .whole = true}, kCount);
  // P(1) = ln(1.5 / 0.5) / ln(3.5 / 0.5)
  EXPECT_NEAR(std::count(log.begin(), log.end(), 1.0), kCount * 0.5646, 240);
  EXPECT_EQ(log.back(), 3);
}

TEST(ValueRanges, CountWhatTheyHave) {
  EXPECT_EQ(ValueRange({.low = 0, .high = 0.3, .step = 0.1}).count(), 4);
  EXPECT_EQ(ValueRange({.low = 1, .high = 5, .whole = true}).count(), 5);
  EXPECT_EQ(ValueRange({.low = 1, .high = 5, .log = true, .whole = true}).count(), 5);
  EXPECT_EQ(ValueRange({.low = 1, .high = 5}).count(), std::nullopt);
}

}  // namespace
}  // namespace yoke::study

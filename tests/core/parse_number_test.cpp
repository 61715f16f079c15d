#include "yoke/core/parse_number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace yoke {
namespace {

TEST(ParseNumber, TakesAWholeTextAndNothingElse) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_number<double>("2.5e-3"), 2.5e-3);
  for (const char* const text : {"", " 1", "1 ", "+1", "1x", "x", "1.5", "0x10", "--1"}) {
    EXPECT_FALSE(parse_number<int>(text)) << text;
  }
  for (const char* const text : {"", " 1", "1,5", "1e", "nan", "inf", "-inf", "1e999"}) {
    EXPECT_FALSE(parse_number<double>(text)) << text;
  }
}

TEST(ParseNumber, RefusesWhatIsOutOfRange) {
  EXPECT_FALSE(parse_number<int>("2147483648"));
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_EQ(parse_number<int>("1", 1, 3), 1);
  EXPECT_EQ(parse_number<int>("3", 1, 3), 3);
  EXPECT_FALSE(parse_number<int>("0", 1, 3));
  EXPECT_FALSE(parse_number<int>("4", 1, 3));
  EXPECT_FALSE(parse_number<double>("-0.1", 0));
}

TEST(TakeNumber, LeavesWhatFollows) {
  std::string_view text = "2.5min";
  EXPECT_EQ(take_number<double>(text), 2.5);
  EXPECT_EQ(text, "min");
  EXPECT_FALSE(take_number<double>(text));
  EXPECT_EQ(text, "min");
  text = "infinite";
  EXPECT_FALSE(take_number<double>(text));
  EXPECT_EQ(text, "infinite");
}

}  // namespace
}  // namespace yoke

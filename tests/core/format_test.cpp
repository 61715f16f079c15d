#include "yoke/core/format.h"

#include <gtest/gtest.h>

#include <limits>

namespace yoke {
namespace {

TEST(FormatBytes, TakesTheUnitThatKeepsTheNumberBelowAThousand) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(11'500'000), "11.5 MB");
  EXPECT_EQ(format_bytes(170'052'171), "170.1 MB");
  EXPECT_EQ(format_bytes(-2'000), "-2.0 kB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "9.2 EB");
}

TEST(CsvField, IsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(ListFew, NamesFiveAndCountsTheRest) {
  EXPECT_EQ(list_few({}), "");
  EXPECT_EQ(list_few({"a b"}), "'a b'");
  EXPECT_EQ(list_few({"a", "b", "c", "d", "e"}), "'a', 'b', 'c', 'd', 'e'");
  EXPECT_EQ(list_few({"a", "b", "c", "d", "e", "f", "g"}), "'a', 'b', 'c', 'd', 'e' and 2 more");
}

TEST(FormatBytes, NeverPrintsAThousandOfAUnit) {
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'950), "1.0 MB");
}

TEST(FormatDuration, ShowsHoursOnlyWhenThereAreAny) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(7.2), "0:07");
  EXPECT_EQ(format_duration(65), "1:05");
  EXPECT_EQ(format_duration(3599.6), "1:00:00");
  EXPECT_EQ(format_duration(7390), "2:03:10");
  EXPECT_EQ(format_duration(std::chrono::hours(30)), "30:00:00");
  EXPECT_EQ(format_duration(-0.2), "0:00");
}

TEST(FormatDuration, SaysNothingWhenTheTimeIsUnknown) {
  EXPECT_EQ(format_duration(std::numeric_limits<double>::infinity()), "-:--");
  EXPECT_EQ(format_duration(std::numeric_limits<double>::quiet_NaN()), "-:--");
  EXPECT_EQ(format_duration(1e12), "-:--");
}

TEST(FormatCount, IsInThePluralButForOne) {
  EXPECT_EQ(format_count(0, "rank"), "0 ranks");
  EXPECT_EQ(format_count(1, "rank"), "1 rank");
  EXPECT_EQ(format_count(12, "warm-up"), "12 warm-ups");
}

TEST(FormatBar, FillsColumnsInEighths) {
  EXPECT_EQ(format_bar(0, 4), "    ");
  EXPECT_EQ(format_bar(0.5, 4), "██  ");
  EXPECT_EQ(format_bar(0.25 + 1.0 / 32, 4), "█▏  ");
  EXPECT_EQ(format_bar(1, 4), "████");
  EXPECT_EQ(format_bar(7, 4), "████");
  EXPECT_EQ(format_bar(-1, 4), "    ");
  EXPECT_EQ(format_bar(std::numeric_limits<double>::quiet_NaN(), 4), "    ");
}

}  // namespace
}  // namespace yoke

// Tables of comma-separated values.
#include "yoke/data/formats/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& text) {
  return test::failure_of<UsageError>([&] { parse_csv(text, "t.csv"); });
}

TEST(Csv, ReadsWhatSpreadsheetsWrite) {
  const auto table = parse_csv(
      "\xEF\xBB\xBF"
      "file,label\r\n\"a, b.jpg\",\"say \"\"cat\"\"\"\r\n\r\nc,\r\n",
      "t.csv");
  EXPECT_THAT(table.columns, ElementsAre("file", "label"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].fields, ElementsAre("a, b.jpg", "say \"cat\""));
  EXPECT_THAT(table.rows[1].fields, ElementsAre("c", ""));
  EXPECT_EQ(table.rows[1].line, 4);
}

TEST(Csv, TakesSemicolonsAndTabsWhereTheFirstLineHasThem) {
  EXPECT_THAT(parse_csv("a;b\n1,5;2\n", "").rows[0].fields, ElementsAre("1,5", "2"));
  EXPECT_THAT(parse_csv("a\tb\n1;5\t2", "").rows[0].fields, ElementsAre("1;5", "2"));
  EXPECT_THAT(parse_csv("alone\nx;y\n", "").rows[0].fields, ElementsAre("x;y"));
}

TEST(Csv, KeepsLineEndsInQuotesAndCountsThem) {
  const auto table = parse_csv("a,b\n\"1\n2\",3\n4,5\n", "t.csv");
  EXPECT_EQ(table.rows[0].fields[0], "1\n2");
  EXPECT_EQ(table.rows[0].line, 2);
  EXPECT_EQ(table.rows[1].line, 4);
}

TEST(Csv, ReadsBackWhatFieldsWereWrittenAs) {
  for (const std::string text : {"", "plain", "a,b", "\"", "two\nlines", "\"q\",\r\n", " x "}) {
    const auto table = parse_csv("a,b\n" + csv_field(text) + ",end\n", "t.csv");
    ASSERT_EQ(table.rows.size(), 1U) << text;
    EXPECT_EQ(table.rows[0].fields[0], text);
  }
}

TEST(Csv, FindsColumnsInAnyCase) {
  const auto table = parse_csv("File,LABEL\n", "t.csv");
  EXPECT_EQ(table.column("label"), 1U);
  EXPECT_EQ(table.column("file"), 0U);
  EXPECT_EQ(table.column("lab"), std::nullopt);
  EXPECT_TRUE(parse_csv("", "t.csv").columns.empty());
}

TEST(Csv, NamesTheLineThatIsWrong) {
  EXPECT_THAT(refusal("a,b\n1,2\n1,2,3\n"),
              AllOf(HasSubstr("t.csv:3: 3 fields"), HasSubstr("2 columns")));
  EXPECT_THAT(refusal("a,b\n1,2\n1,\"2\n3\n"), HasSubstr("t.csv:3: a quote is not closed"));
}

}  // namespace
}  // namespace yoke

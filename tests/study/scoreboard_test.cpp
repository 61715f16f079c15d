#include "yoke/study/scoreboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke::study {
namespace {

using testing::HasSubstr;

RaceRun run_of(const std::string& entry, std::optional<double> seconds, int seed = 1) {
  return {.entry = entry,
          .data = "fashion-mnist",
          .images = 10000,
          .target = 0.9,
          .seconds = seconds,
          .wall_seconds = seconds.value_or(50) + 1,
          .epochs = 2,
          .claimed = seconds ? 0.905 : 0.89,
          .verified = seconds ? 0.905 : 0.89,
          .hosts = 1,
          .ranks = 2,
          .cpu = "Test CPU",
          .seed = seed,
          .yoke = "0.1.0",
          .date = "2026-01-31 12:00",
          .run = entry + std::to_string(seed)};
}

TEST(Scoreboard, IsReadAsItWasWritten) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "s.jsonl";
  EXPECT_TRUE(read_scoreboard(path).empty());
  const std::vector<RaceRun> runs = {run_of("a", 12.5), run_of("b", std::nullopt)};
  write_file(path, scoreboard_text(runs));
  const auto read = read_scoreboard(path);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].seconds, 12.5);
  EXPECT_FALSE(read[1].seconds.has_value());
  EXPECT_EQ(scoreboard_text(read), scoreboard_text(runs));
}

TEST(Scoreboard, NamesTheLineThatIsNoRun) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "s.jsonl";
  write_file(path, scoreboard_text({run_of("a", 12.5)}) + "{\"entry\": 3}\n");
  try {
    read_scoreboard(path);
    FAIL() << "a damaged line was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("s.jsonl:2 "));
    EXPECT_THAT(error.what(), HasSubstr("--scoreboard"));
  }
}

TEST(Scoreboard, HoldsADirectoryOnce) {
  std::vector<RaceRun> runs;
  add_run(runs, run_of("a", 12.5));
  add_run(runs, run_of("a", 11.5));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].seconds, 11.5);
  RaceRun elsewhere = run_of("a", 10.5);
  elsewhere.cpu = "Another CPU";
  add_run(runs, elsewhere);
  EXPECT_EQ(runs.size(), 2U);
}

TEST(Scoreboard, PlacesTheFasterEntryFirst) {
  const std::string table = scoreboard_markdown(
      {run_of("slow", 30), run_of("fast", 10, 1), run_of("fast", 14, 2), run_of("fast", 12, 3)});
  EXPECT_THAT(table, HasSubstr("## fashion-mnist, 90.00 % on 10,000 images"));
  EXPECT_THAT(table, HasSubstr("| 1 | fast | 3 of 3 | 12.0 (10.0 to 14.0) |"));
  EXPECT_THAT(table, HasSubstr("| 2 | slow | 1 of 1 | 30.0 (30.0 to 30.0) |"));
}

TEST(Scoreboard, GivesNoPlaceToAnEntryThatOftenFails) {
  const std::string table =
      scoreboard_markdown({run_of("lucky", 5, 1), run_of("lucky", std::nullopt, 2),
                           run_of("steady", 20), run_of("never", std::nullopt)});
  EXPECT_THAT(table, HasSubstr("| 1 | steady |"));
  EXPECT_THAT(table, HasSubstr("|  | lucky | 1 of 2 | 5.0 "));
  EXPECT_THAT(table, HasSubstr("| | never | 0 of 1 |"));
  EXPECT_LT(table.find("steady"), table.find("lucky"));
}

TEST(Scoreboard, DoesNotCountAClaimThatTheSecondMeasurementRefutes) {
  RaceRun run = run_of("boast", 5);
  run.verified = 0.899;
  EXPECT_FALSE(run.holds());
  EXPECT_THAT(scoreboard_markdown({run}), HasSubstr("| boast | 0 of 1 |"));
}

}  // namespace
}  // namespace yoke::study

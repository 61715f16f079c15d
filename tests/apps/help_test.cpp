// `--help` of the program and of its commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/lines.h"
#include "tests/support/support.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

using test::lines_of;
using test::run_yoke;
using testing::ContainsRegex;
using testing::HasSubstr;

/// What stands in `text` in this order.
void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t from = 0;
  for (const auto& part : parts) {
    const auto found = text.find(part, from);
    ASSERT_NE(found, std::string::npos) << part << " comes not after the one before in\n" << text;
    from = found + part.size();
  }
}

TEST(Help, ListsCommandsInTheOrderOfUseWithExamples) {
  const auto result = run_yoke({"--help"});
  EXPECT_EQ(result.status, 0);
  expect_in_order(result.output,
                  {"Usage: yoke [FLAGS] COMMAND", "Prepare:", "\n  doctor ", "\n  data ",
                   "Train:", "\n  train ", "\n  run ", "Use a trained model:", "\n  evaluate ",
                   "\n  classify ", "\n  export ", "Compare and plan:", "\n  report ", "--version",
                   "Examples:", "\n  yoke train ", "\n  yoke classify "});
  EXPECT_THAT(result.output, testing::Not(HasSubstr("\n\n\n")));
  const auto commands = result.output.substr(0, result.output.find("Options:"));
  EXPECT_THAT(commands, testing::Not(HasSubstr("\n   "))) << "each has one line";
}

TEST(Help, OfTrainBeginsWithEverydayFlags) {
  const auto result = run_yoke({"train", "--help"});
  EXPECT_EQ(result.status, 0);
  expect_in_order(
      result.output,
      {"Usage: yoke train [FLAGS] [PHOTOS...]", "Arguments:", "Everyday:", "--recipe FILE",
       "--data DATASET", "--model MODEL", "--epochs N", "--out DIR", "--resume",
       "Training:", "Data:", "Computing:", "Over ranks:", "Checkpoints:", "Output:", "-h, --help"});
}

/// The flag's own declaration says them.
TEST(Help, OfTrainTellsRangesChoicesAndDefaultsOfEachFlag) {
  const auto output = run_yoke({"train", "--help"}).output;
  std::string words = output;  // in one line, as if nothing had been wrapped
  for (std::size_t at = 0; (at = words.find("\n        ", at)) != std::string::npos;) {
    words.replace(at, words.find_first_not_of(" \n", at) - at, " ");
  }
  int ranges = 0;
  for (const auto& flag : train_flags()) {
    EXPECT_THAT(output, HasSubstr("--" + flag.name));
    EXPECT_THAT(output, HasSubstr(" " + flag.value));
    auto value = flag.value.empty() ? std::nullopt : flag.get(TrainConfig());
    if (flag.value == "on/off") value = *value == "true" ? "on" : "off";
    const auto meaning = flag.help + (flag.range.empty() ? "" : "; " + flag.range) +
                         (value ? " [" + *value + "]" : "");
    EXPECT_THAT(words, HasSubstr(meaning));
    ranges += flag.range.empty() ? 0 : 1;
  }
  EXPECT_GT(ranges, 10);
  EXPECT_THAT(words, HasSubstr("from 0 to 1024 [0]"));
  EXPECT_THAT(words, HasSubstr("--precision fp32/bf16/o1/o2"));
}

TEST(Help, OfOtherCommandsTellsRangesOnceAndShort) {
  const auto output = run_yoke({"classify", "--help"}).output;
  EXPECT_THAT(output, ContainsRegex(
                          "--top N +Likeliest classes shown of each photo; from 1 to\n? *1000000"));
  EXPECT_THAT(output, ContainsRegex("Usage: yoke classify \\[FLAGS\\] MODEL PATHS\\.\\.\\.\n"));
  EXPECT_THAT(run_yoke({"data", "--help"}).output, HasSubstr("Usage: yoke data [FLAGS] COMMAND"));
  EXPECT_THAT(run_yoke({"run", "--help"}).output, HasSubstr("yoke run [FLAGS] -- PROGRAM"));
}

TEST(Help, FitsATerminal) {
  for (const char* const command :
       {"train", "find-lr", "run", "stop", "evaluate", "classify", "export", "report", "study",
        "forecast", "bench", "list", "data", "weights", "doctor", "completion", "man"}) {
    for (const auto& line : lines_of(run_yoke({command, "--help"}).output)) {
      const bool breakable = line.find(' ', 30) != std::string::npos;
      EXPECT_TRUE(line.size() <= 80 || !breakable) << command << ": " << line;
    }
  }
}

}  // namespace
}  // namespace yoke

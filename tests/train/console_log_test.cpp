// console.log of a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/run.h"
#include "yoke/run/layout.h"

namespace yoke {
namespace {

using test::shown_by;
using test::small_run;
using test::TemporaryDirectory;
using testing::HasSubstr;

std::string log_of(const TrainConfig& config) {
  return read_file(RunDirectory{config.out}.console());
}

TEST(ConsoleLog, HasWhatIsShownAsLines) {
  const TemporaryDirectory directory;
  const auto config = small_run(directory.path() / "run");
  const auto shown = shown_by(config);
  EXPECT_THAT(shown, HasSubstr("Epoch: [2]"));
  EXPECT_EQ(log_of(config), shown);
}

TEST(ConsoleLog, IsWrittenWhereNothingIsShown) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.progress = ProgressKind::kNone;
  train(config);
  EXPECT_THAT(log_of(config), HasSubstr("Epoch: [2]"));
  EXPECT_THAT(log_of(config), HasSubstr(" * Val Acc@1 "));
}

TEST(ConsoleLog, GoesOnInAResumedRun) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.checkpoint_every = Interval::parse("4steps", "");
  config.max_steps = 8;
  const auto first = shown_by(config);
  config.resume = "auto";
  config.max_steps = 12;
  const auto second = shown_by(config);
  EXPECT_THAT(second, HasSubstr("Epoch: [1]"));
  EXPECT_EQ(log_of(config), first + second);
}

}  // namespace
}  // namespace yoke

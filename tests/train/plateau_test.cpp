// tests/train/plateau_test.cpp: a training whose rate falls where its evaluations get no better.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/support.h"
#include "tests/train/run.h"

namespace yoke::test {
namespace {

/// No loss is nine tenths less than the one before.
TEST(PlateauTraining, LowersItsRateAndSaysSoAfterTheEvaluation) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.schedule = "plateau:patience=0,threshold=0.9,factor=0.5";
  config.progress = ProgressKind::kLines;
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  train(config, {}, context);
  EXPECT_THAT(shown.str(), testing::ContainsRegex("Val Acc[^\n]*\n[^\n]*goes on at 0.0005: no "
                                                  "better loss in 1 evaluation\n"));
  const auto steps = step_reports(config.out);
  EXPECT_EQ(steps.front().at("lr"), 1e-3);
  EXPECT_EQ(steps.back().at("lr"), 5e-4);  // the first of three evaluations has none before it
}

}  // namespace
}  // namespace yoke::test

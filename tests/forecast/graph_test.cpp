// The script that gnuplot draws.
#include "yoke/forecast/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/forecast/calibrated.h"
#include "yoke/core/error.h"

namespace yoke::forecast {
namespace {

using test::free_cluster;
using test::job;
using testing::HasSubstr;

std::vector<Prediction> predictions() {
  std::vector<Prediction> rows;
  for (const std::int64_t hosts : {1, 2, 4}) {
    rows.push_back(
        predict(test::round_calibration(), job("averaging:every=end"), free_cluster(hosts)));
  }
  return rows;
}

TEST(PredictionGraph, HoldsTheNumbersTheTitleAndTheFile) {
  const auto script = graph_script(predictions(), "it's a_title", "out/graph.svg");
  EXPECT_THAT(script, HasSubstr("set terminal svg"));
  EXPECT_THAT(script, HasSubstr("set output 'out/graph.svg'"));
  EXPECT_THAT(script, HasSubstr("title 'it''s a_title' noenhanced"));
  EXPECT_THAT(script, HasSubstr("\n1 1.064 1.064 1.064 1.064 100\n"));
}

TEST(PredictionGraph, KnowsItsFormatByTheEndingOfTheFile) {
  EXPECT_THAT(graph_script(predictions(), "", "a.png"), HasSubstr("pngcairo"));
  EXPECT_THAT(graph_script(predictions(), "", "a.pdf"), HasSubstr("pdfcairo"));
  EXPECT_THROW(graph_script(predictions(), "", "a.gif"), UsageError);
}

}  // namespace
}  // namespace yoke::forecast

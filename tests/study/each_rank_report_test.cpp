// tests/study/each_rank_report_test.cpp: what reports say of ranks by themselves, before their
// mean.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/study/runs.h"
#include "tests/support/support.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/findings/findings.h"

namespace yoke::study {
namespace {

using test::make_run;
using test::TemporaryDirectory;
using testing::Contains;
using testing::HasSubstr;

TEST(EachRankInReports, HasASentenceAndLines) {
  const TemporaryDirectory directory;
  std::vector<NamedRun> runs;
  for (const int ranks : {1, 2}) {
    const auto path = directory.path() / std::to_string(ranks);
    make_run(path, {.ranks = ranks,
                    .top1 = 0.5,
                    .rank_top1 = std::vector<double>(static_cast<std::size_t>(ranks), 0.75)});
    runs.push_back({read_run(path), {}});
  }
  const auto expect_line = [](const Figure& figure, double y) {
    const auto& series = std::get<Curves>(figure.graph).series;
    const auto found = std::find_if(series.begin(), series.end(), [](const Series& line) {
      return line.title.ends_with("mean of the ranks by themselves");
    });
    ASSERT_NE(found, series.end()) << figure.name;
    EXPECT_EQ(found->points.size(), 2U);
    for (const auto& point : found->points) EXPECT_DOUBLE_EQ(point.y, y);
  };
  const auto findings = run_findings(runs[1].run);
  EXPECT_THAT(findings, Contains(HasSubstr("The 2 ranks by themselves had 75.00 % to 75.00 %")));
  expect_line(learning_figures(compare_runs({runs[1]}))[1], 75);
  expect_line(comparison_figures(compare_runs(std::move(runs))).back(), 75);
}

}  // namespace
}  // namespace yoke::study

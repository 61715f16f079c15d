// Legends, as gnuplot places them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "yoke/study/figures/gnuplot.h"
#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

/// How far below the top of a drawing a text is, in pixels.
double height_of(const std::string& svg, const std::string& text) {
  const std::regex place(R"(translate\([-0-9.]+,([-0-9.]+)\)[^<]*<text>)" + text + "<");
  std::smatch match;
  return std::regex_search(svg, match, place) ? std::stod(match[1]) : std::nan("");
}

class Legend : public testing::TestWithParam<int> {};

TEST_P(Legend, IsBelowTheLabelOfTheAxisAndInsideOfTheDrawing) {
  for (int entries = 1; entries <= 10; ++entries) {
    Curves curves{.x_label = "steps (1)", .y_label = "loss (1)", .series = {}};
    for (int i = 0; i < entries; ++i) {
      const std::string title = fmt::format("{}{:0{}}", 't', i, GetParam() - 1);
      curves.series.push_back({.title = title, .points = {{0, 1}, {1, 2}}, .style = i});
    }
    const Figure figure{.name = "f", .title = "A figure", .caption = "", .graph = curves};
    const auto svg = draw_svg({figure}, {{"PATH", std::getenv("PATH")}}).front();
    const double label = height_of(svg, R"(steps \(1\))");
    for (const auto& series : curves.series) {
      const double height = height_of(svg, series.title);
      EXPECT_GT(height, label + 8) << entries << " entries, " << series.title;
      EXPECT_LT(height, size_of(figure).height) << entries << " entries, " << series.title;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, Legend, testing::Values(2, 8, 13, 15, 18, 20, 24, 31, 33, 38, 60),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace yoke::study

// yoke/study/figures/figure.h: graphs as data; gnuplot.h draws them.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "yoke/run/run_results.h"

namespace yoke::study {

/// That a reader can follow in one graph.
inline constexpr std::size_t kMostLines = 8;
inline constexpr std::size_t kMostBars = 30;

/// A point, with the ends of its 95 % interval where there is one.
struct Point {
  double x = 0, y = 0;
  std::optional<std::pair<double, double>> interval = {};
};

/// A line of a graph. Lines of equal `style` have one colour, dashes and points, those of another
/// differ in all three, so that a grey print tells them apart.
struct Series {
  std::string title;
  std::vector<Point> points;
  int style = 0;
  bool marked = true;    ///< Points are drawn on the line.
  bool joined = true;    ///< A line joins the points.
  bool ideal = false;    ///< A thin grey line to compare with; `style` is left aside.
  bool lighter = false;  ///< A thinner line in the same colour: the same thing, less important.
};

/// Lines over numbers, none of which is below zero.
struct Curves {
  std::string x_label, y_label;  ///< With their units.
  std::vector<Series> series;
  std::vector<Phase> phases = {};  ///< Shaded behind the lines.
  bool x_from_zero = false;
  bool y_from_zero = false;
  std::optional<double> y_most = {};  ///< The axis ends there: no number is more, or tells more.
  bool x_log = false;
  std::vector<double> x_ticks = {};  ///< Where given, only these, as numbers of things are.
};

/// Horizontal bars, each a sum of parts.
struct Bars {
  struct Bar {
    std::string label;
    std::vector<double> parts;
    std::string note = {};  ///< Behind the bar.
  };
  std::string x_label;             ///< With its unit.
  std::vector<std::string> parts;  ///< Their names; a single one is not told of.
  std::vector<Bar> bars;           ///< From the top.
  std::optional<double> x_most = {};
};

/// Numbers on both sides of zero, one below another.
struct Differences {
  struct Row {
    std::string label;
    double value = 0;
    std::optional<std::pair<double, double>> interval = {};  ///< Of 95 %, where there is one.
  };
  std::string x_label;    ///< With its unit.
  std::vector<Row> rows;  ///< From the top.
};

/// Shares of each row in shades.
struct Matrix {
  std::string x_label, y_label;
  std::vector<std::string> names;
  std::vector<std::vector<double>> cells;  ///< Numbers of things; rows from the top.
};

/// One graph.
struct Figure {
  std::string name;     ///< Of its file, without an ending.
  std::string title;    ///< What is seen.
  std::string caption;  ///< How it was made, for the text below it.
  std::variant<Curves, Bars, Differences, Matrix> graph;
};

}  // namespace yoke::study

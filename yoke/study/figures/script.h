// yoke/study/figures/script.h: graphs as commands of gnuplot; parts that all kinds of graph share.
#pragma once
#include <string>
#include <string_view>

#include "yoke/study/figures/figure.h"

namespace yoke::study {

/// Colours that colour-blind people tell apart, black among them (Okabe & Ito 2008).
inline constexpr int kColours = 7;
std::string colour(int style);

/// `text` as a string of gnuplot, in which only quotes mean something; it may have several lines.
std::string gnuplot_text(std::string_view text);

/// Width and height of a graph in pixels; legends and bars make it higher.
struct Size {
  int width = 760, height = 380;
};
Size size_of(const Figure& figure);

/// The commands that draw the graph, without those that choose a terminal and a file.
std::string script(const Figure& figure);
std::string script(const Curves& curves);
std::string script(const Bars& bars);
std::string script(const Differences& differences);
std::string script(const Matrix& matrix);

/// A legend of `rows` rows below the label of the x axis, which `columns` entries share.
std::string legend(int rows, int columns);

/// Rows of the legend below a graph.
int legend_rows(const Curves& curves);

/// The name of a bar or a class in lines that leave room for the graph.
std::string short_lines(const std::string& label);

/// The names of rows at 0, 1, ... from the top, for which `set yrange` has to be reversed.
std::string row_ticks(const std::vector<std::string>& labels);

}  // namespace yoke::study

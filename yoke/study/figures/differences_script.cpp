// yoke/study/figures/differences_script.cpp: differences from zero as commands of gnuplot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

/// The least and the most that is drawn, zero among it, with some room.
std::pair<double, double> range_of(const Differences& differences) {
  double least = 0, most = 0;
  for (const auto& row : differences.rows) {
    const auto& [low, high] = row.interval.value_or(std::pair(row.value, row.value));
    least = std::min({least, row.value, low});
    most = std::max({most, row.value, high});
  }
  const double room = most > least ? 0.06 * (most - least) : 1;
  return {least - room, most + room};
}

}  // namespace

std::string script(const Differences& differences) {
  const auto [least, most] = range_of(differences);
  std::vector<std::string> labels;
  std::string rows = "$rows << EOD\n", notes;
  for (std::size_t i = 0; i < differences.rows.size(); ++i) {
    const auto& row = differences.rows[i];
    const auto& [low, high] = row.interval.value_or(std::pair(row.value, row.value));
    labels.push_back(row.label);
    rows += fmt::format("{:.6g} {} {:.6g} {:.6g}\n", row.value, i, low, high);
    notes += fmt::format("set label '{:+.2f}' at {:.6g},{} center offset 0,0.8\n", row.value,
                         row.value, i);
  }
  return fmt::format(
      "{}EOD\n{}{}set xlabel {}\nset xrange [{:g}:{:g}]\nset yrange [{}:-0.8]\nunset key\n"
      "unset grid\nset grid x lc rgb '#dddddd' lt 1 lw 0.6\n"
      "set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '#404040' lw 1.5\n"
      "plot $rows using 1:2:3:4 with xerrorbars lc rgb '{}' lw 2 pt 7 ps 1\n",
      rows, row_ticks(labels), notes, gnuplot_text(differences.x_label), least, most,
      static_cast<double>(differences.rows.size()) - 0.4, colour(0));
}

}  // namespace yoke::study

// yoke/study/figures/bars_script.cpp: horizontal bars as commands of gnuplot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

/// Dark, middle, light, so that a grey print tells them apart.
struct Fill {
  const char* colour;
  const char* style;
};
constexpr Fill kFills[] = {{"#0072B2", "solid 1.0"},
                           {"#E69F00", "solid 1.0"},
                           {"#d8d8d8", "solid 1.0"},
                           {"#404040", "pattern 4"}};
constexpr std::size_t kFillCount = std::size(kFills);

double sum(const Bars::Bar& bar) {
  double total = 0;
  for (const double part : bar.parts) total += part;
  return total;
}

std::string ticks(const Bars& bars) {
  std::vector<std::string> labels;
  for (const auto& bar : bars.bars) labels.push_back(bar.label);
  return row_ticks(labels);
}

/// Rectangles of one part of all bars: centre, left, right, bottom, top.
std::string data(const Bars& bars, std::size_t part) {
  std::string text = fmt::format("$p{} << EOD\n", part);
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    const auto& parts = bars.bars[i].parts;
    if (part >= parts.size()) continue;
    double left = 0;
    for (std::size_t p = 0; p < part; ++p) left += parts[p];
    const double y = static_cast<double>(i);
    text += fmt::format("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", left + parts[part] / 2, y,
                        left, left + parts[part], y - 0.36, y + 0.36);
  }
  return text + "EOD\n";
}

std::string notes(const Bars& bars) {
  std::string text;
  for (std::size_t i = 0; i < bars.bars.size(); ++i) {
    if (bars.bars[i].note.empty()) continue;
    text += fmt::format("set label {} at {:.6g},{} left offset 0.6,0\n",
                        gnuplot_text(bars.bars[i].note), sum(bars.bars[i]), i);
  }
  return text;
}

}  // namespace

std::string script(const Bars& bars) {
  double most = 0;
  bool notes_there = false;
  for (const auto& bar : bars.bars) {
    most = std::max(most, sum(bar));
    notes_there = notes_there || !bar.note.empty();
  }
  most = bars.x_most.value_or(most > 0 ? most * (notes_there ? 1.18 : 1.03) : 1);
  std::string text = fmt::format(
      "set xlabel {}\nset xrange [0:{:g}]\nset yrange [{}:-0.6]\nunset grid\n"
      "set grid x lc rgb '#dddddd' lt 1 lw 0.6\n",
      gnuplot_text(bars.x_label), most, static_cast<double>(bars.bars.size()) - 0.4);
  text += ticks(bars) + notes(bars);
  text += bars.parts.size() > 1 ? legend(1, static_cast<int>(bars.parts.size())) : "unset key\n";
  std::vector<std::string> plots;
  for (std::size_t part = 0; part < bars.parts.size(); ++part) {
    text += data(bars, part);
    const Fill& fill = kFills[part % kFillCount];
    plots.push_back(
        fmt::format("$p{} using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '{}' fillstyle {} border "
                    "lc rgb '#404040' title {}",
                    part, fill.colour, fill.style, gnuplot_text(bars.parts[part])));
  }
  return text + fmt::format("plot {}\n", fmt::join(plots, ", "));
}

}  // namespace yoke::study

#include "yoke/forecast/graph.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/forecast/scaling.h"

namespace yoke::forecast {
namespace {

/// As a string of gnuplot without its own markup.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string data(const std::vector<Prediction>& predictions) {
  const Prediction& base = predictions.front();
  std::string lines;
  for (const auto& row : predictions) {
    const auto hosts = static_cast<double>(row.hosts);
    lines += fmt::format("{} {} {} {} {} {}\n", row.hosts, row.low.total_epoch_seconds(),
                         row.typical.total_epoch_seconds(), row.high.total_epoch_seconds(),
                         base.typical.epoch_seconds * static_cast<double>(base.hosts) / hosts,
                         100 * efficiency(base, row));
  }
  return lines;
}

}  // namespace

std::string graph_terminal(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".svg") return "svg size 800,900 font 'sans,14' background 'white'";
  if (ending == ".png") return "pngcairo size 1600,1800 font 'sans,14' fontscale 2 linewidth 2";
  if (ending == ".pdf") return "pdfcairo size 16cm,18cm font 'sans,11'";
  throw UsageError(fmt::format("--graph is '{}'; allowed: a file that ends in .svg, .png or .pdf",
                               file.string()));
}

std::string graph_script(const std::vector<Prediction>& predictions, const std::string& title,
                         const std::filesystem::path& file) {
  // Colours of Okabe and Ito, which all eyes tell apart, with dashes and points that print tells.
  return fmt::format(R"(set terminal {}
set output {}
$predicted << END
{}END
set multiplot layout 2,1 title {} noenhanced
set lmargin 11
set logscale x 2
set xlabel 'hosts'
set grid
set key bottom left
set logscale y
set format y '%g'
set ylabel 'seconds per epoch, failures included'
plot $predicted using 1:2:4 with filledcurves fillcolor rgb '#56B4E9' fillstyle transparent solid 0.35 title 'range', \
     $predicted using 1:3 with linespoints linewidth 2 pointtype 7 linecolor rgb '#0072B2' title 'predicted', \
     $predicted using 1:5 with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title 'ideal'
unset logscale y
set key top right
set offsets 0, 0, 5, 0
set yrange [0:*]
set ylabel 'efficiency, %'
plot $predicted using 1:6 with linespoints linewidth 2 pointtype 5 linecolor rgb '#D55E00' title 'predicted', \
     100 with lines linewidth 2 dashtype 2 linecolor rgb '#000000' title 'ideal'
unset multiplot
)",
                     graph_terminal(file), quoted(file.string()), data(predictions), quoted(title));
}

}  // namespace yoke::forecast

// yoke/study/figures/matrix_script.cpp: a confusion matrix as commands of gnuplot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yoke/study/figures/script.h"

namespace yoke::study {
namespace {

std::string ticks(const std::vector<std::string>& names) {
  std::vector<std::string> each;
  for (std::size_t i = 0; i < names.size(); ++i) {
    each.push_back(fmt::format("{} {}", gnuplot_text(names[i]), i));
  }
  return fmt::format("({}) scale 0", fmt::join(each, ", "));
}

double sum(const std::vector<double>& row) {
  double total = 0;
  for (const double cell : row) total += cell;
  return total;
}

}  // namespace

std::string script(const Matrix& matrix) {
  const auto size = matrix.names.size();
  constexpr double kDark = 0.55;  // a share whose shade wants white letters
  std::string shares = "$m << EOD\n", dark = "$dark << EOD\n", light = "$light << EOD\n";
  for (std::size_t y = 0; y < matrix.cells.size(); ++y) {
    const double total = sum(matrix.cells[y]);
    for (std::size_t x = 0; x < matrix.cells[y].size(); ++x) {
      const double share = total > 0 ? matrix.cells[y][x] / total : 0;
      shares += fmt::format("{0} {1} {2} {3} {4} {5} {6:.4f}\n", x, y, static_cast<double>(x) - 0.5,
                            static_cast<double>(x) + 0.5, static_cast<double>(y) - 0.5,
                            static_cast<double>(y) + 0.5, share);
      (share > kDark ? dark : light) += fmt::format("{} {} {:.0f}\n", x, y, matrix.cells[y][x]);
    }
  }
  std::string text = shares + "EOD\n" + dark + "0 -9 0\nEOD\n" + light + "0 -9 0\nEOD\n";
  text += fmt::format(
      "set xlabel {}\nset ylabel {}\nunset grid\nunset key\nset xtics {} rotate by -40\n"
      "set ytics {}\nset xrange [-0.5:{}]\nset yrange [{}:-0.5]\nset cbrange [0:1]\n"
      "set cblabel 'share of the true class'\nset palette defined (0 '#ffffff', 1 '#00355f')\n",
      gnuplot_text(matrix.x_label), gnuplot_text(matrix.y_label), ticks(matrix.names),
      ticks(matrix.names), static_cast<double>(size) - 0.5, static_cast<double>(size) - 0.5);
  text +=
      "plot $m using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid border lc rgb '#bbbbbb' "
      "fillcolor palette";
  constexpr std::size_t kMostNumbers = 12;  // classes whose numbers find room
  if (size <= kMostNumbers) {
    text +=
        ", $dark using 1:2:3 with labels textcolor rgb 'white'"
        ", $light using 1:2:3 with labels textcolor rgb 'black'";
  }
  return text + "\n";
}

}  // namespace yoke::study

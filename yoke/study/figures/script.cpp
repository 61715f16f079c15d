#include "yoke/study/figures/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "yoke/study/report/text_pages.h"

namespace yoke::study {

std::string colour(int style) {
  constexpr std::array<const char*, kColours> kPalette = {
      "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"};
  return kPalette[static_cast<std::size_t>(style % kColours)];
}

std::string gnuplot_text(std::string_view text) {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') result += '\'';
    result += letter == '\n' ? std::string("'.\"\\n\".'") : std::string(1, letter);
  }
  return result + "'";
}

std::string legend(int rows, int columns) {
  return fmt::format(
      "set key at screen 0.5, screen 0.02 bottom center horizontal Left reverse maxcols {} samplen "
      "2.5\nset bmargin {}\n",
      columns, 4.2 + 1.3 * rows);
}

std::string short_lines(const std::string& label) {
  constexpr std::size_t kLetters = 34;
  std::string text;
  for (std::size_t i = 0; i < label.size(); ++i) {
    text += label[i];
    if (label[i] == ',' && label.substr(i + 1, 1) != " ") text += ' ';  // where a line may end
  }
  return fmt::format("{}", fmt::join(wrap(text, kLetters), "\n"));
}

std::string row_ticks(const std::vector<std::string>& labels) {
  std::vector<std::string> each;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    each.push_back(fmt::format("{} {}", gnuplot_text(short_lines(labels[i])), i));
  }
  return fmt::format("set ytics ({}) scale 0\n", fmt::join(each, ", "));
}

namespace {

/// Of rows with these labels.
template <typename Rows>
int height_of(const Rows& rows) {
  int lines = 1;
  for (const auto& row : rows) {
    const std::string label = short_lines(row.label);
    lines = std::max(lines, 1 + static_cast<int>(std::count(label.begin(), label.end(), '\n')));
  }
  return 170 + (8 + 19 * lines) * std::max(2, static_cast<int>(rows.size()));
}

}  // namespace

Size size_of(const Figure& figure) {
  constexpr int kRow = 20;  // of a legend or a small bar
  Size size;
  if (const auto* const curves = std::get_if<Curves>(&figure.graph)) {
    size.height += kRow * legend_rows(*curves);
  } else if (const auto* const bars = std::get_if<Bars>(&figure.graph)) {
    size.height = height_of(bars->bars);
  } else if (const auto* const differences = std::get_if<Differences>(&figure.graph)) {
    size.height = height_of(differences->rows);
  } else {
    const auto& matrix = std::get<Matrix>(figure.graph);
    size.height = 200 + 34 * static_cast<int>(std::max<std::size_t>(6, matrix.names.size()));
  }
  return size;
}

std::string script(const Figure& figure) {
  constexpr std::size_t kLetters = 85;  // of a line of a title
  std::string text =
      fmt::format("set title {}\n",
                  gnuplot_text(fmt::format("{}", fmt::join(wrap(figure.title, kLetters), "\n"))));
  text +=
      "set border 3 lc rgb '#404040'\nset tics nomirror out\nset grid lc rgb '#dddddd' lt 1 lw "
      "0.6\n";
  return text + std::visit([](const auto& graph) { return script(graph); }, figure.graph);
}

}  // namespace yoke::study

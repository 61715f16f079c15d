// yoke/study/figures/class_figures.cpp: which classes are recognised, and what they are taken for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yoke/study/figures/figures.h"

namespace yoke::study {
namespace {

constexpr std::size_t kMostClasses = 40;
constexpr std::size_t kMostCells = 30;  // classes on a side of the matrix

std::vector<std::size_t> classes_with_images(const RunResults& run) {
  std::vector<std::size_t> classes;
  for (std::size_t c = 0; c < run.per_class_accuracy.size(); ++c) {
    if (std::isfinite(run.per_class_accuracy[c])) classes.push_back(c);
  }
  return classes;
}

/// Classes that have images; only the worst where there are too many for a graph.
std::vector<std::size_t> classes_to_show(const RunResults& run) {
  std::vector<std::size_t> order = classes_with_images(run);
  if (order.size() <= kMostClasses) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return run.per_class_accuracy[a] < run.per_class_accuracy[b];
  });
  order.resize(kMostClasses);
  return order;
}

}  // namespace

std::vector<Figure> class_figures(const RunResults& run, const std::string& suffix) {
  std::vector<Figure> figures;
  Bars bars{.x_label = "top-1 accuracy (%)", .parts = {"accuracy"}, .bars = {}, .x_most = 112};
  for (const std::size_t c : classes_to_show(run)) {
    const double percent = 100 * run.per_class_accuracy[c];
    bars.bars.push_back(
        {.label = run.class_name(c), .parts = {percent}, .note = fmt::format("{:.1f}", percent)});
  }
  if (!bars.bars.empty()) {
    const std::size_t classes = classes_with_images(run).size();
    const bool all = bars.bars.size() == classes;
    figures.push_back(
        {.name = "classes" + suffix,
         .title = "Accuracy per class",
         .caption = fmt::format(
             "Of the last evaluation, over the images of each class{}.",
             all ? "" : fmt::format("; the {} lowest of {}", bars.bars.size(), classes)),
         .graph = std::move(bars)});
  }
  if (run.confusion.empty() || run.confusion.size() > kMostCells) return figures;
  Matrix matrix{.x_label = "predicted class", .y_label = "true class", .names = {}, .cells = {}};
  for (std::size_t c = 0; c < run.confusion.size(); ++c) matrix.names.push_back(run.class_name(c));
  matrix.cells = run.confusion;
  figures.push_back({.name = "confusion" + suffix,
                     .title = "What images of each class were taken for",
                     .caption = "Of the last evaluation. Numbers are images, shades their share of "
                                "the true class.",
                     .graph = std::move(matrix)});
  return figures;
}

}  // namespace yoke::study

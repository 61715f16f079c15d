// yoke/study/figures/confidence_figures.cpp: whether a network is right as often as it is sure.
#include <fmt/format.h>

#include "yoke/study/figures/figures.h"
#include "yoke/study/report/words.h"

namespace yoke::study {

std::vector<Figure> confidence_figures(const RunResults& run, const std::string& suffix) {
  double images = 0;
  for (const auto& bin : run.confidence_bins) images += static_cast<double>(bin.images);
  if (images == 0) return {};
  const Series ideal{.title = "right as often as sure",
                     .points = {{.x = 0, .y = 0}, {.x = 100, .y = 100}},
                     .ideal = true};
  Series accuracy{.title = "accuracy", .points = {}, .style = 0};
  Series share{.title = "share of the images", .points = {}, .style = 1, .lighter = true};
  for (const auto& bin : run.confidence_bins) {
    if (bin.images == 0) continue;
    const double x = 100 * bin.confidence;
    accuracy.points.push_back({.x = x, .y = 100 * bin.accuracy});
    share.points.push_back({.x = x, .y = 100 * static_cast<double>(bin.images) / images});
  }
  return {
      {.name = "confidence" + suffix,
       .title = "Accuracy against confidence",
       .caption = fmt::format(
           "A reliability diagram of the last evaluation: a point for the images of each of {} "
           "bins of confidence, the probability of the likeliest class. Above the dotted line "
           "the network is right more often than it is sure, below it less often. The distance "
           "from the line, as a mean over images, is the expected calibration error (Guo et "
           "al. 2017): {}. Points of few images say little.",
           run.confidence_bins.size(), in_percent(expected_calibration_error(run.confidence_bins))),
       .graph = Curves{.x_label = "mean confidence of a bin's images (%)",
                       .y_label = "accuracy, share of the images (%)",
                       .series = {ideal, std::move(accuracy), std::move(share)},
                       .x_from_zero = true,
                       .y_from_zero = true,
                       .y_most = 100}}};
}

}  // namespace yoke::study

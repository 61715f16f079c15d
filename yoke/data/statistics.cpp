#include "yoke/data/statistics.h"

#include <array>
#include <cmath>

namespace yoke {
namespace {

using Histogram = std::array<std::int64_t, 256>;

void count(Histogram& histogram, std::span<const std::uint8_t> values) {
  for (const std::uint8_t value : values) ++histogram[value];
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const Histogram& histogram) {
  double count = 0, sum = 0, squares = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    const double times = static_cast<double>(histogram[value]);
    const double x = static_cast<double>(value);
    count += times;
    sum += times * x;
    squares += times * x * x;
  }
  if (count == 0) return {};
  const double mean = sum / count;
  return {.mean = mean / 255,
          .deviation = std::sqrt(std::max(0.0, squares / count - mean * mean)) / 255};
}

}  // namespace

std::vector<std::int64_t> class_counts(const Dataset& dataset) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(dataset.info().classes()));
  for (std::int64_t index = 0; index < dataset.size(); ++index)
    ++counts.at(static_cast<std::size_t>(dataset.label(index)));
  return counts;
}

DatasetStatistics measure(const Dataset& dataset) {
  const ImageShape& shape = dataset.info().image;
  const auto plane = static_cast<std::size_t>(shape.height * shape.width);
  std::vector<Histogram> histograms(static_cast<std::size_t>(shape.channels));
  DatasetStatistics statistics{.images = dataset.size(),
                               .class_counts = class_counts(dataset),
                               .mean = {},
                               .deviation = {},
                               .pixel_bytes = dataset.size() * shape.elements()};
  std::vector<std::uint8_t> scratch;
  for (std::int64_t index = 0; index < dataset.size(); ++index) {
    const auto pixels = dataset.pixels(index, scratch);
    for (std::size_t channel = 0; channel < histograms.size(); ++channel) {
      count(histograms[channel], pixels.subspan(channel * plane, plane));
    }
  }
  for (const auto& histogram : histograms) {
    const Moments values = moments(histogram);
    statistics.mean.push_back(values.mean);
    statistics.deviation.push_back(values.deviation);
  }
  return statistics;
}

}  // namespace yoke

#include "yoke/data/resample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

/// Output position i of one axis is the sum over k of weight[k][i] * source[first[i] + k].
struct Taps {
  std::int64_t count = 0;
  std::vector<std::int32_t> first;            // [outputs]
  std::vector<std::vector<float>> weights{};  // [count][outputs]
};

/// `start` and `length` are the cut's in `source` pixels.
Taps make_taps(double start, double length, std::int64_t source, std::int64_t outputs) {
  const double step = length / static_cast<double>(outputs);
  const double reach = std::max(1.0, step);
  const auto most = static_cast<std::int64_t>(std::ceil(2 * reach)) + 1;
  Taps taps{.count = std::min(most, source), .first = {}};
  taps.first.resize(static_cast<std::size_t>(outputs));
  taps.weights.assign(static_cast<std::size_t>(taps.count),
                      std::vector<float>(static_cast<std::size_t>(outputs)));
  std::vector<double> values(static_cast<std::size_t>(taps.count));
  for (std::size_t i = 0; i < taps.first.size(); ++i) {
    const double centre = start + (static_cast<double>(i) + 0.5) * step;
    const auto from = static_cast<std::int64_t>(std::floor(centre - reach));
    const std::int64_t first = std::clamp<std::int64_t>(from, 0, source - taps.count);
    double sum = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double place = static_cast<double>(first) + static_cast<double>(k) + 0.5;
      values[k] = std::max(0.0, 1 - std::abs(place - centre) / reach);
      sum += values[k];
    }
    taps.first[i] = static_cast<std::int32_t>(first);
    for (std::size_t k = 0; k < values.size(); ++k) {
      taps.weights[k][i] = static_cast<float>(values[k] / sum);
    }
  }
  return taps;
}

YOKE_VECTORISE
void begin_row(const std::uint8_t* __restrict source, float weight, std::int64_t count,
               float* __restrict sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] = weight * static_cast<float>(source[i]);
}

YOKE_VECTORISE
void add_row(const std::uint8_t* __restrict source, float weight, std::int64_t count,
             float* __restrict sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += weight * static_cast<float>(source[i]);
}

/// Adds weight[x] * row[3 * first[x]], for a row of pixels of three channels.
YOKE_VECTORISE
void add_column(const float* __restrict row, const std::int32_t* __restrict first,
                const float* __restrict weight, std::int64_t count, float* __restrict sum) {
  for (std::int64_t x = 0; x < count; ++x) sum[x] += weight[x] * row[3 * first[x]];
}

YOKE_VECTORISE
void round_row(const float* __restrict sum, std::int64_t count, std::uint8_t* __restrict output) {
  for (std::int64_t x = 0; x < count; ++x) {
    // Never negative, and lround() does not vectorise.
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    output[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(sum[x] + 0.5F));
  }
}

}  // namespace

void resample(const Raster& raster, const Cut& cut, std::int64_t height, std::int64_t width,
              std::uint8_t* output) {
  const double scale = raster.scale;
  const Taps rows = make_taps(cut.top * scale - static_cast<double>(raster.top), cut.height * scale,
                              raster.height, height);
  const Taps columns = make_taps(cut.left * scale - static_cast<double>(raster.left),
                                 cut.width * scale, raster.width, width);
  const std::int64_t values = 3 * raster.width;
  std::vector<float> row(static_cast<std::size_t>(values));
  std::vector<float> sum(static_cast<std::size_t>(width));
  for (std::int64_t y = 0; y < height; ++y) {
    const auto i = static_cast<std::size_t>(y);
    const std::uint8_t* source = raster.pixels + values * rows.first[i];
    begin_row(source, rows.weights[0][i], values, row.data());
    for (std::size_t k = 1; k < rows.weights.size(); ++k) {
      source += values;
      if (rows.weights[k][i] > 0) add_row(source, rows.weights[k][i], values, row.data());
    }
    for (std::int64_t c = 0; c < 3; ++c) {
      std::fill(sum.begin(), sum.end(), 0.0F);
      for (std::size_t k = 0; k < columns.weights.size(); ++k) {
        add_column(row.data() + 3 * static_cast<std::int64_t>(k) + c, columns.first.data(),
                   columns.weights[k].data(), width, sum.data());
      }
      round_row(sum.data(), width, output + (c * height + y) * width);
    }
  }
}

}  // namespace yoke

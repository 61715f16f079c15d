#include "yoke/data/transforms/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

/// Output position i of one axis is the sum over k of weights[i * count + k] * source[first[i] +
/// k].
struct Taps {
  std::size_t count = 0;
  std::vector<std::int64_t> first;
  std::vector<float> weights{};

  const float* of(std::size_t output) const { return weights.data() + output * count; }
};

/// `start` and `length` are the crop's in `source` pixels.
Taps make_taps(double start, double length, std::int64_t source, std::int64_t outputs) {
  const double step = length / static_cast<double>(outputs);
  const double reach = std::max(1.0, step);
  const std::int64_t count = std::min(static_cast<std::int64_t>(std::ceil(2 * reach)), source);
  Taps taps{.count = static_cast<std::size_t>(count), .first = {}};
  std::vector<double> values(taps.count);
  for (std::int64_t i = 0; i < outputs; ++i) {
    const double centre = start + (static_cast<double>(i) + 0.5) * step;
    // The first pixel whose centre is within reach.
    const auto from = static_cast<std::int64_t>(std::floor(centre - reach + 0.5));
    const std::int64_t first = std::clamp<std::int64_t>(from, 0, source - count);
    double sum = 0;
    for (std::size_t k = 0; k < taps.count; ++k) {
      const double place = static_cast<double>(first) + static_cast<double>(k) + 0.5;
      values[k] = std::max(0.0, 1 - std::abs(place - centre) / reach);
      sum += values[k];
    }
    taps.first.push_back(first);
    for (const double value : values) taps.weights.push_back(static_cast<float>(value / sum));
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

/// The channels of a pixel, and one more.
using Lanes [[gnu::vector_size(16)]] = float;

/// The columns of a row of RGB pixels, [width, 3] and one value more, into `sums`. Gathering each
/// channel by itself takes twice the time.
void add_columns(const float* row, const Taps& columns, std::vector<Lanes>& sums) {
  for (std::size_t x = 0; x < sums.size(); ++x) {
    const float* const weights = columns.of(x);
    const float* pixel = row + 3 * columns.first[x];
    Lanes sum = {};
    for (std::size_t k = 0; k < columns.count; ++k, pixel += 3) {
      Lanes value;
      std::memcpy(&value, pixel, sizeof value);
      sum += weights[k] * value;
    }
    sums[x] = sum;
  }
}

void round_plane(const std::vector<Lanes>& sums, std::size_t channel, std::uint8_t* output) {
  for (std::size_t x = 0; x < sums.size(); ++x) {
    // Never negative, and lround() does not vectorise.
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    output[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(sums[x][channel] + 0.5F));
  }
}

}  // namespace

void resample(const Raster& raster, const Crop& crop, std::int64_t height, std::int64_t width,
              std::uint8_t* output) {
  const double scale = raster.scale;
  const Taps rows = make_taps(crop.top * scale - static_cast<double>(raster.top),
                              crop.height * scale, raster.height, height);
  const Taps columns = make_taps(crop.left * scale - static_cast<double>(raster.left),
                                 crop.width * scale, raster.width, width);
  const std::int64_t values = 3 * raster.width;
  std::vector<float> row(static_cast<std::size_t>(values) + 1);
  std::vector<Lanes> sums(static_cast<std::size_t>(width));
  for (std::int64_t y = 0; y < height; ++y) {
    const auto i = static_cast<std::size_t>(y);
    const float* const weights = rows.of(i);
    const std::uint8_t* source = raster.pixels + values * rows.first[i];
    begin_row(source, weights[0], values, row.data());
    for (std::size_t k = 1; k < rows.count; ++k) {
      source += values;
      add_row(source, weights[k], values, row.data());
    }
    add_columns(row.data(), columns, sums);
    for (std::size_t c = 0; c < 3; ++c) {
      round_plane(sums, c, output + (static_cast<std::int64_t>(c) * height + y) * width);
    }
  }
}

}  // namespace yoke

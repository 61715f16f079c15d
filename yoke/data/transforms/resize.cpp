#include "yoke/data/transforms/resize.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/system/parallel_for.h"
#include "yoke/core/vectorise.h"
#include "yoke/data/datasets/in_memory.h"

namespace yoke {
namespace {

// Output position i of one axis is source[first[i]] + weight[i] * (source[second[i]] - that).
struct Axis {
  std::vector<std::int32_t> first;
  std::vector<std::int32_t> second;
  std::vector<float> weight;
};

Axis make_axis(std::int64_t source, std::int64_t output) {
  Axis axis;
  const double scale = static_cast<double>(source) / static_cast<double>(output);
  for (std::int64_t i = 0; i < output; ++i) {
    const double place = std::max(0.0, (static_cast<double>(i) + 0.5) * scale - 0.5);
    const auto first = std::min(static_cast<std::int64_t>(place), source - 1);
    axis.first.push_back(static_cast<std::int32_t>(first));
    axis.second.push_back(static_cast<std::int32_t>(std::min(first + 1, source - 1)));
    axis.weight.push_back(static_cast<float>(place - static_cast<double>(first)));
  }
  return axis;
}

YOKE_VECTORISE
void blend_rows(const std::uint8_t* __restrict first, const std::uint8_t* __restrict second,
                float weight, std::int64_t width, float* __restrict output) {
  for (std::int64_t x = 0; x < width; ++x) {
    const auto value = static_cast<float>(first[x]);
    output[x] = value + weight * (static_cast<float>(second[x]) - value);
  }
}

YOKE_VECTORISE
void blend_columns(const float* __restrict row, const std::int32_t* __restrict first,
                   const std::int32_t* __restrict second, const float* __restrict weight,
                   std::int64_t width, std::uint8_t* __restrict output) {
  for (std::int64_t x = 0; x < width; ++x) {
    const float value = row[first[x]];
    const float blended = value + weight[x] * (row[second[x]] - value);
    // Never negative, and lround() does not vectorise.
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    output[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(blended + 0.5F));
  }
}

struct Resizer {
  ImageShape source, output;
  Axis rows = make_axis(source.height, output.height);
  Axis columns = make_axis(source.width, output.width);

  void plane(const std::uint8_t* from, std::uint8_t* to, std::vector<float>& row) const {
    row.resize(static_cast<std::size_t>(source.width));
    for (std::size_t y = 0; y < rows.weight.size(); ++y, to += output.width) {
      blend_rows(from + rows.first[y] * source.width, from + rows.second[y] * source.width,
                 rows.weight[y], source.width, row.data());
      blend_columns(row.data(), columns.first.data(), columns.second.data(), columns.weight.data(),
                    output.width, to);
    }
  }

  void image(const std::uint8_t* from, std::uint8_t* to, std::vector<float>& row) const {
    for (std::int64_t c = 0; c < source.channels; ++c) {
      plane(from + c * source.height * source.width, to + c * output.height * output.width, row);
    }
  }
};

}  // namespace

std::shared_ptr<const Dataset> resized(std::shared_ptr<const Dataset> dataset, std::int64_t height,
                                       std::int64_t width) {
  DatasetInfo info = dataset->info();
  if (info.image.height == height && info.image.width == width) return dataset;
  if (height < 1 || width < 1) {
    throw UsageError(
        fmt::format("images cannot be resized to {}x{}; give 1 or more", height, width));
  }
  if (auto decoded = dataset->decoded_to(height, width)) return decoded;
  info.image.height = height;
  info.image.width = width;
  const Resizer resizer{.source = dataset->info().image, .output = info.image};
  const std::int64_t size = dataset->size(), elements = info.image.elements();
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size * elements));
  std::vector<std::int64_t> labels(static_cast<std::size_t>(size));
  parallel_for(size, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint8_t> scratch;
    std::vector<float> row;
    for (std::int64_t i = begin; i < end; ++i) {
      labels[static_cast<std::size_t>(i)] = dataset->label(i);
      resizer.image(dataset->pixels(i, scratch).data(), pixels.data() + i * elements, row);
    }
  });
  return std::make_shared<InMemoryDataset>(std::move(info), std::move(pixels), std::move(labels));
}

}  // namespace yoke

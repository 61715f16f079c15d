#include "yoke/data/transforms/crop.h"

#include <algorithm>
#include <cmath>

namespace yoke {
namespace {

constexpr double kLeastForm = 3.0 / 4, kMostForm = 4.0 / 3;

}  // namespace

Crop center_crop(std::int64_t height, std::int64_t width, double aspect, double fraction) {
  const auto rows = static_cast<double>(height), columns = static_cast<double>(width);
  const double most_rows = std::min(rows, columns / aspect);
  const double cut_rows = fraction * most_rows, cut_columns = cut_rows * aspect;
  return {.left = (columns - cut_columns) / 2,
          .top = (rows - cut_rows) / 2,
          .width = cut_columns,
          .height = cut_rows};
}

Crop random_resized_crop(std::int64_t height, std::int64_t width, double aspect, double least_area,
                         RandomStream& random) {
  constexpr int kAttempts = 10;
  const auto rows = static_cast<double>(height), columns = static_cast<double>(width);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double area = rows * columns * random.uniform(least_area, 1);
    const double form =
        aspect * std::exp(random.uniform(std::log(kLeastForm), std::log(kMostForm)));
    const auto cut_columns = static_cast<std::int64_t>(std::round(std::sqrt(area * form)));
    const auto cut_rows = static_cast<std::int64_t>(std::round(std::sqrt(area / form)));
    if (cut_rows < 1 || cut_columns < 1 || cut_rows > height || cut_columns > width) continue;
    const auto top = random.below(static_cast<std::uint64_t>(height - cut_rows + 1));
    const auto left = random.below(static_cast<std::uint64_t>(width - cut_columns + 1));
    return {.left = static_cast<double>(left),
            .top = static_cast<double>(top),
            .width = static_cast<double>(cut_columns),
            .height = static_cast<double>(cut_rows)};
  }
  const double form = std::clamp(columns / rows, aspect * kLeastForm, aspect * kMostForm);
  return center_crop(height, width, form, 1);
}

}  // namespace yoke

#include "yoke/data/transforms/random_erasing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace yoke {
namespace {

void erase(const ImageShape& shape, std::int64_t top, std::int64_t left, std::int64_t height,
           std::int64_t width, std::span<float> image) {
  for (std::int64_t channel = 0; channel < shape.channels; ++channel) {
    for (std::int64_t y = top; y < top + height; ++y) {
      std::fill_n(image.data() + (channel * shape.height + y) * shape.width + left, width, 0.0F);
    }
  }
}

}  // namespace

void random_erase(double probability, const ImageShape& shape, RandomStream& random,
                  std::span<float> image) {
  constexpr int kAttempts = 10;
  constexpr double kLeastArea = 0.02, kMostArea = 0.33;  // of the image's
  constexpr double kLeastForm = 0.3, kMostForm = 3.3;    // height by width
  if (random.uniform() >= probability) return;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double area =
        static_cast<double>(shape.height * shape.width) * random.uniform(kLeastArea, kMostArea);
    const double form = std::exp(random.uniform(std::log(kLeastForm), std::log(kMostForm)));
    const auto height = static_cast<std::int64_t>(std::nearbyint(std::sqrt(area * form)));
    const auto width = static_cast<std::int64_t>(std::nearbyint(std::sqrt(area / form)));
    if (height >= shape.height || width >= shape.width) continue;
    const auto top = random.below(static_cast<std::uint64_t>(shape.height - height + 1));
    const auto left = random.below(static_cast<std::uint64_t>(shape.width - width + 1));
    erase(shape, static_cast<std::int64_t>(top), static_cast<std::int64_t>(left), height, width,
          image);
    return;
  }
}

}  // namespace yoke

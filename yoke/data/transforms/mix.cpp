#include "yoke/data/transforms/mix.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace yoke {
namespace {

/// From Beta(alpha, alpha), as the share of one of two draws from the gamma distribution.
double draw_lambda(double alpha, RandomStream& random) {
  std::gamma_distribution<double> gamma(alpha);
  const double one = gamma(random), other = gamma(random);
  // Of a small alpha both may be too small for a double; then lambda is next to 0 or 1.
  return one + other > 0 ? one / (one + other) : static_cast<double>(random.below(2));
}

PairMix draw_box(double lambda, const ImageShape& shape, RandomStream& random) {
  const auto y = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.height)));
  const auto x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.width)));
  const double half = std::sqrt(1 - lambda) / 2;
  const auto tall = static_cast<std::int64_t>(half * static_cast<double>(shape.height));
  const auto wide = static_cast<std::int64_t>(half * static_cast<double>(shape.width));
  PairMix mix{.box = true,
              .top = std::max<std::int64_t>(y - tall, 0),
              .left = std::max<std::int64_t>(x - wide, 0),
              .bottom = std::min(y + tall, shape.height),
              .right = std::min(x + wide, shape.width)};
  const auto pixels = static_cast<float>((mix.bottom - mix.top) * (mix.right - mix.left));
  mix.share = pixels / static_cast<float>(shape.height * shape.width);
  return mix;
}

}  // namespace

PairMix draw_mix(const Mixing& mixing, const ImageShape& shape, RandomStream& random) {
  const bool both = mixing.mixup > 0 && mixing.cutmix > 0;
  const bool cut = both ? random.below(2) == 1 : mixing.cutmix > 0;
  const double lambda = draw_lambda(cut ? mixing.cutmix : mixing.mixup, random);
  if (cut) return draw_box(lambda, shape, random);
  return {.share = static_cast<float>(1 - lambda)};
}

void mix_in(const PairMix& mix, const ImageShape& shape, const float* other, float* image) {
  if (!mix.box) {
    const std::int64_t elements = shape.elements();
    const float own = 1 - mix.share;
    for (std::int64_t i = 0; i < elements; ++i) image[i] = other[i] * mix.share + image[i] * own;
    return;
  }
  for (std::int64_t c = 0; c < shape.channels; ++c) {
    for (std::int64_t y = mix.top; y < mix.bottom; ++y) {
      const std::int64_t row = (c * shape.height + y) * shape.width;
      std::copy(other + row + mix.left, other + row + mix.right, image + row + mix.left);
    }
  }
}

std::int64_t partner_of(std::int64_t place, std::int64_t images) {
  const std::int64_t neighbour = place ^ 1;
  return neighbour < images ? neighbour : std::max<std::int64_t>(place - 1, 0);
}

}  // namespace yoke

// yoke/data/transforms/mix.h: two images of a batch made into two that have something of both.
#pragma once
#include <cstdint>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"

namespace yoke {

/// How training images are mixed by two; of both ways each pair takes one at random.
struct Mixing {
  static constexpr double kMost = 100;  ///< Of both numbers.

  double mixup = 0;   ///< The alpha of mixup (Zhang et al. 2018), from 0: none.
  double cutmix = 0;  ///< That of CutMix (Yun et al. 2019), likewise.

  bool none() const { return mixup == 0 && cutmix == 0; }
};

/// What becomes of a pair: a share of the other image over all of it, or all of the other in a box.
struct PairMix {
  float share = 0;  ///< Of the other image, in [0, 1]; of pixels, where there is a box.
  bool box = false;
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;  ///< Of the box; the latter two not in it.
};

/// Draws for images of `shape`: lambda from Beta(alpha, alpha), and for CutMix, as torchvision's, a
/// box of the root of 1 - lambda of both sides with its middle anywhere, cut off at the borders.
PairMix draw_mix(const Mixing& mixing, const ImageShape& shape, RandomStream& random);

/// Puts what `mix` wants of `other` into `image`, both fp32 [C, H, W] of `shape`.
void mix_in(const PairMix& mix, const ImageShape& shape, const float* other, float* image);

/// The place in a step's batch of `images` of the one that the image at `place` is mixed with: its
/// neighbour, places being taken by two; of the last one of an odd number the one before; of a
/// single image itself.
std::int64_t partner_of(std::int64_t place, std::int64_t images);

}  // namespace yoke

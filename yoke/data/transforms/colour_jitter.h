// yoke/data/transforms/colour_jitter.h: random changes of an image's brightness and colours.
#pragma once
#include <cstdint>

#include "yoke/core/random.h"

namespace yoke {

/// How far a training image's colours are moved at most; 0: not at all.
struct ColourJitter {
  double brightness = 0;  ///< Pixels are multiplied by 1 - this to 1 + this; in [0, 1].
  double contrast = 0;    ///< Likewise their distance to the image's mean grey.
  double saturation = 0;  ///< Likewise their distance to their own grey.
  double hue = 0;         ///< Turns of the colour circle, to either side; in [0, 0.5].

  bool none() const { return brightness == 0 && contrast == 0 && saturation == 0 && hue == 0; }
};

/// Moves the colours of an image, uint8 [3, pixels], by factors that are drawn in the order above,
/// each only where it is asked for.
///
/// The four changes of torchvision's ColorJitter, in this order rather than in a random one, and
/// multiplied into one affine map, so that values are rounded and cut to [0, 255] once. Hue turns
/// around the axis of greys.
void jitter(const ColourJitter& most, RandomStream& random, std::int64_t pixels,
            std::uint8_t* image);

}  // namespace yoke

// yoke/data/datasets/glyph_strokes.h: the digits as pen strokes.
#pragma once
#include <vector>

#include "yoke/core/random.h"

namespace yoke {

struct GlyphPoint {
  float x = 0;  ///< To the right; digits reach from about -0.3 to 0.3.
  float y = 0;  ///< Down, from -0.5 to 0.5.
};

/// A line through its points, at least two.
using GlyphStroke = std::vector<GlyphPoint>;

/// One of the ways in which people write `digit` (0 to 9), chosen and proportioned at random.
std::vector<GlyphStroke> draw_digit(int digit, RandomStream& random);

}  // namespace yoke

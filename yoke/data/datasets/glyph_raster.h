// yoke/data/datasets/glyph_raster.h: strokes to grey pixels.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "yoke/core/random.h"
#include "yoke/data/datasets/glyph_strokes.h"

namespace yoke {

constexpr int kGlyphSize = 28;  ///< Height and width of an image in pixels.

/// How a pen draws.
struct GlyphInk {
  float radius = 1;      ///< Half the width of a stroke in pixels.
  float softness = 1;    ///< Pixels over which its edge fades.
  float brightness = 1;  ///< Of the ink, in [0, 1].
  float noise = 0;       ///< Standard deviation of what is added to each pixel, in grey levels.
};

/// The strokes, in pixels from the upper left corner, as a 28x28 image of uint8: bright on black.
void rasterise_glyph(const std::vector<GlyphStroke>& strokes, const GlyphInk& ink,
                     RandomStream& random, std::span<std::uint8_t> image);

}  // namespace yoke

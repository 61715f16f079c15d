#include "yoke/data/datasets/glyph_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

constexpr int kPixels = kGlyphSize * kGlyphSize;
constexpr float kFar = 1e6F;

/// Squared distance of each pixel's centre to the nearest stroke, where that is near.
using DistanceField = std::array<float, kPixels>;

struct Box {
  int left, right, top, bottom;  // the ends are not part of it
};

Box box_around(GlyphPoint a, GlyphPoint b, float reach) {
  const auto limit = [](float value) { return std::clamp(static_cast<int>(value), 0, kGlyphSize); };
  return {.left = limit(std::min(a.x, b.x) - reach),
          .right = limit(std::max(a.x, b.x) + reach + 1),
          .top = limit(std::min(a.y, b.y) - reach),
          .bottom = limit(std::max(a.y, b.y) + reach + 1)};
}

void lower_to_segment(DistanceField& field, GlyphPoint a, GlyphPoint b, float reach) {
  const Box box = box_around(a, b, reach);
  const float run_x = b.x - a.x, run_y = b.y - a.y;
  const float scale = 1 / std::max(run_x * run_x + run_y * run_y, 1e-12F);
  for (int y = box.top; y < box.bottom; ++y) {
    float* const row = field.data() + std::ptrdiff_t{y} * kGlyphSize;
    const float from_y = static_cast<float>(y) + 0.5F - a.y;
    for (int x = box.left; x < box.right; ++x) {
      const float from_x = static_cast<float>(x) + 0.5F - a.x;
      float along = (from_x * run_x + from_y * run_y) * scale;
      along = along < 0 ? 0 : along;
      along = along > 1 ? 1 : along;
      const float away_x = from_x - along * run_x, away_y = from_y - along * run_y;
      const float distance = away_x * away_x + away_y * away_y;
      row[x] = distance < row[x] ? distance : row[x];
    }
  }
}

YOKE_VECTORISE
void shade(const float* __restrict field, const float* __restrict noise, float edge, float slope,
           float level, std::uint8_t* __restrict image) {
  for (int i = 0; i < kPixels; ++i) {
    float cover = (edge - std::sqrt(field[i])) * slope;
    cover = cover < 0 ? 0 : cover;
    cover = cover > 1 ? 1 : cover;
    float value = level * cover + noise[i] + 0.5F;
    value = value < 0 ? 0 : value;
    value = value > 255 ? 255 : value;
    image[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(value));
  }
}

/// Sums of four random bytes: close to normal, and quick.
void draw_noise(RandomStream& random, float deviation, std::array<float, kPixels>& noise) {
  constexpr float kDeviation = 147.8F;  // of such a sum: sqrt(4 * (256^2 - 1) / 12)
  const float scale = deviation / kDeviation;
  for (float& value : noise) {
    const std::uint32_t bits = random();
    const auto sum = static_cast<std::int32_t>((bits & 0xFF) + ((bits >> 8) & 0xFF) +
                                               ((bits >> 16) & 0xFF) + (bits >> 24));
    value = static_cast<float>(sum - 510) * scale;
  }
}

}  // namespace

void rasterise_glyph(const std::vector<GlyphStroke>& strokes, const GlyphInk& ink,
                     RandomStream& random, std::span<std::uint8_t> image) {
  const float edge = ink.radius + ink.softness / 2;
  DistanceField field;
  field.fill(kFar);
  for (const auto& stroke : strokes) {
    for (std::size_t i = 1; i < stroke.size(); ++i) {
      lower_to_segment(field, stroke[i - 1], stroke[i], edge);
    }
  }
  std::array<float, kPixels> noise{};
  if (ink.noise > 0) draw_noise(random, ink.noise, noise);
  shade(field.data(), noise.data(), edge, 1 / ink.softness, 255 * ink.brightness, image.data());
}

}  // namespace yoke

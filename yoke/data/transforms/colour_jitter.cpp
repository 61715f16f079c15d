#include "yoke/data/transforms/colour_jitter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

constexpr std::array<double, 3> kGrey = {0.299, 0.587, 0.114};  // of R, G and B (ITU-R BT.601)

double draw_factor(double most, RandomStream& random) {
  return most > 0 ? random.uniform(std::max(0.0, 1 - most), 1 + most) : 1;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

/// p becomes factor * p + (1 - factor) * grey(p).
Matrix saturation_matrix(double factor) {
  Matrix result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      result[i][j] = (1 - factor) * kGrey[j] + (i == j ? factor : 0);
    }
  }
  return result;
}

/// A rotation around (1, 1, 1), by Rodrigues' formula.
Matrix hue_matrix(double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  const double same = (1 + 2 * std::cos(angle)) / 3;
  const double next = (1 - std::cos(angle)) / 3 - std::sin(angle) / std::numbers::sqrt3;
  const double last = (1 - std::cos(angle)) / 3 + std::sin(angle) / std::numbers::sqrt3;
  return {{{same, next, last}, {last, same, next}, {next, last, same}}};
}

double mean_grey(const std::uint8_t* image, std::int64_t pixels) {
  double grey = 0;
  for (const double weight : kGrey) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < pixels; ++i) sum += image[i];
    grey += weight * static_cast<double>(sum);
    image += pixels;
  }
  return grey / static_cast<double>(pixels);
}

/// Output channel of an affine map: weights of R, G and B, and a constant.
using Row = std::array<float, 4>;

YOKE_VECTORISE
void mix(const std::uint8_t* __restrict red, const std::uint8_t* __restrict green,
         const std::uint8_t* __restrict blue, const Row& row, std::int64_t pixels,
         std::uint8_t* __restrict output) {
  const float r = row[0], g = row[1], b = row[2], rounded = row[3] + 0.5F;
  for (std::int64_t i = 0; i < pixels; ++i) {
    const float value = r * static_cast<float>(red[i]) + g * static_cast<float>(green[i]) +
                        b * static_cast<float>(blue[i]) + rounded;
    const float cut = std::min(std::max(value, 0.0F), 255.0F);
    output[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(cut));
  }
}

}  // namespace

void jitter(const ColourJitter& most, RandomStream& random, std::int64_t pixels,
            std::uint8_t* image) {
  const double brightness = draw_factor(most.brightness, random);
  const double contrast = draw_factor(most.contrast, random);
  const double saturation = draw_factor(most.saturation, random);
  const double hue = most.hue > 0 ? random.uniform(-most.hue, most.hue) : 0;
  const Matrix colours = product(hue_matrix(hue), saturation_matrix(saturation));
  // Neither of the two moves greys, so the constant of contrast passes through them.
  const double constant = (1 - contrast) * brightness * mean_grey(image, pixels);
  constexpr std::int64_t kPiece = 4096;  // stays in the first cache
  std::array<std::array<std::uint8_t, kPiece>, 3> mixed;
  for (std::int64_t begin = 0; begin < pixels; begin += kPiece) {
    const std::int64_t count = std::min(kPiece, pixels - begin);
    std::uint8_t* const red = image + begin;
    for (std::size_t c = 0; c < 3; ++c) {
      Row row{0, 0, 0, static_cast<float>(constant)};
      for (std::size_t k = 0; k < 3; ++k) {
        row[k] = static_cast<float>(brightness * contrast * colours[c][k]);
      }
      mix(red, red + pixels, red + 2 * pixels, row, count, mixed[c].data());
    }
    for (std::int64_t c = 0; c < 3; ++c) {
      std::copy_n(mixed[static_cast<std::size_t>(c)].data(), count, red + c * pixels);
    }
  }
}

}  // namespace yoke

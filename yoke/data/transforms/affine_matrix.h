// yoke/data/transforms/affine_matrix.h: rotations, translations and shears of an image.
#pragma once
#include <array>

namespace yoke {

/// A place in pixels from the middle of an image, right and down.
struct Point {
  double x = 0;
  double y = 0;
};

/// A change of where the pixels of an image are, in torchvision's words.
struct Affine {
  double angle = 0;  ///< Degrees, clockwise.
  Point translate{};
  Point shear{};   ///< Degrees.
  Point center{};  ///< What stays in its place but for the translation.
};

/// {a, b, c, d, e, f}: the pixel at (x, y) comes from (a x + b y + c, d x + e y + f).
using AffineMatrix = std::array<double, 6>;

/// Where pixels come from; torchvision's `_get_inverse_affine_matrix` at scale 1, in its order of
/// operations.
AffineMatrix inverse_affine_matrix(const Affine& change);

}  // namespace yoke

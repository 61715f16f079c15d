#include "yoke/data/transforms/affine_matrix.h"

#include <cmath>
#include <numbers>

namespace yoke {

AffineMatrix inverse_affine_matrix(const Affine& change) {
  constexpr double kRadians = std::numbers::pi / 180;
  const double angle = change.angle * kRadians;
  const double sx = change.shear.x * kRadians, sy = change.shear.y * kRadians;
  const double a = std::cos(angle - sy) / std::cos(sy);
  const double b = -std::cos(angle - sy) * std::tan(sx) / std::cos(sy) - std::sin(angle);
  const double c = std::sin(angle - sy) / std::cos(sy);
  const double d = -std::sin(angle - sy) * std::tan(sx) / std::cos(sy) + std::cos(angle);
  const auto& [cx, cy] = change.center;
  const double x = -cx - change.translate.x, y = -cy - change.translate.y;
  return {d, -b, d * x + -b * y + cx, -c, a, -c * x + a * y + cy};
}

}  // namespace yoke

// yoke/engine/compiled/kernels/winograd_f43.h: the transforms of F(4, 3), four results of three
// weights (Lavin and Gray 2016, section 4.3), at the points 0, +-1/sqrt(2), +-sqrt(2) and infinity,
// which round half as much as small integers do.
#pragma once
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {

struct WinogradF43 {
  static constexpr int kTaps = 3, kSide = 6;
  static constexpr float kNear = 0.70710678118654752F, kFar = 1.41421356237309505F;  // the points

  /// B' d: six pixels.
  static YOKE_INLINE void input(const Floats (&d)[6], Floats (&to)[6]) {
    const Floats even = d[4] - 2 * d[2], odd = d[3] - 2 * d[1];
    const Floats even2 = d[4] - 0.5F * d[2], odd2 = d[3] - 0.5F * d[1];
    to[0] = (d[0] + d[4]) - 2.5F * d[2];
    to[1] = even + kNear * odd;
    to[2] = even - kNear * odd;
    to[3] = even2 + kFar * odd2;
    to[4] = even2 - kFar * odd2;
    to[5] = (d[1] + d[5]) - 2.5F * d[3];
  }

  /// B m: what six products are for the pixels, the transpose of input().
  static YOKE_INLINE void spread(const Floats (&m)[6], Floats (&to)[6]) {
    const Floats sum = m[1] + m[2], difference = kNear * (m[1] - m[2]);
    const Floats sum2 = m[3] + m[4], difference2 = kFar * (m[3] - m[4]);
    to[0] = m[0];
    to[1] = m[5] - 2 * difference - 0.5F * difference2;
    to[2] = -2.5F * m[0] - 2 * sum - 0.5F * sum2;
    to[3] = difference + difference2 - 2.5F * m[5];
    to[4] = m[0] + sum + sum2;
    to[5] = m[5];
  }

  /// A' m: four pixels of the result.
  static YOKE_INLINE void result(const Floats (&m)[6], Floats (&to)[4]) {
    const Floats sum = m[1] + m[2], difference = m[1] - m[2];
    const Floats sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    to[0] = m[0] + sum + sum2;
    to[1] = kNear * difference + kFar * difference2;
    to[2] = 0.5F * sum + 2 * sum2;
    to[3] = (0.5F * kNear) * difference + ((2 * kFar) * difference2 + m[5]);
  }

  /// A y: four pixels of the result's gradient.
  static YOKE_INLINE void gradient(const Floats (&y)[4], Floats (&to)[6]) {
    const Floats even = y[0] + 0.5F * y[2], odd = y[1] + 0.5F * y[3];
    const Floats even2 = y[0] + 2 * y[2], odd2 = y[1] + 2 * y[3];
    to[0] = y[0];
    to[1] = even + kNear * odd;
    to[2] = even - kNear * odd;
    to[3] = even2 + kFar * odd2;
    to[4] = even2 - kFar * odd2;
    to[5] = y[3];
  }

  /// G g: three weights.
  static YOKE_INLINE void weights(const Floats (&g)[3], Floats (&to)[6]) {
    const Floats even = (2 * g[0] + g[2]) * (-1.0F / 3), odd = g[1] * (-2 * kNear / 3);
    const Floats even2 = (0.5F * g[0] + g[2]) * (1.0F / 3), odd2 = g[1] * (kNear / 3);
    to[0] = g[0];
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = even2 + odd2;
    to[4] = even2 - odd2;
    to[5] = g[2];
  }

  /// G' s: the gradient of three weights.
  static YOKE_INLINE void weight_gradient(const Floats (&s)[6], Floats (&to)[3]) {
    const Floats sum = (s[1] + s[2]) * (-1.0F / 3), sum2 = (s[3] + s[4]) * (1.0F / 3);
    to[0] = s[0] + 2 * sum + 0.5F * sum2;
    to[1] = (s[2] - s[1]) * (2 * kNear / 3) + (s[3] - s[4]) * (kNear / 3);
    to[2] = sum + sum2 + s[5];
  }
};

}  // namespace yoke::compiled

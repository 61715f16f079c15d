// yoke/engine/compiled/kernels/winograd_f43.h: the transforms of F(4, 3), four results of three
// weights, at the points 0, 1, -1, 2, -2 and infinity (Lavin and Gray 2016, section 4.3).
#pragma once
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {

struct WinogradF43 {
  static constexpr int kTaps = 3, kSide = 6;

  /// B' d: six pixels.
  static YOKE_INLINE void input(const Floats (&d)[6], Floats (&to)[6]) {
    const Floats even = d[4] - 4 * d[2], odd = d[3] - 4 * d[1];
    const Floats a = d[4] - d[2], b = 2 * (d[3] - d[1]);
    to[0] = 4 * (d[0] - d[2]) + a;
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = a + b;
    to[4] = a - b;
    to[5] = 4 * (d[1] - d[3]) + (d[5] - d[3]);
  }

  /// B m: what six products are for the pixels, the transpose of input().
  static YOKE_INLINE void spread(const Floats (&m)[6], Floats (&to)[6]) {
    const Floats sum = m[1] + m[2], difference = m[1] - m[2];
    const Floats sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    to[0] = 4 * m[0];
    to[1] = 4 * (m[5] - difference) - 2 * difference2;
    to[2] = -5 * m[0] - 4 * sum - sum2;
    to[3] = difference + 2 * difference2 - 5 * m[5];
    to[4] = m[0] + sum + sum2;
    to[5] = m[5];
  }

  /// A' m: four pixels of the result.
  static YOKE_INLINE void result(const Floats (&m)[6], Floats (&to)[4]) {
    const Floats sum = m[1] + m[2], difference = m[1] - m[2];
    const Floats sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    to[0] = m[0] + sum + sum2;
    to[1] = difference + 2 * difference2;
    to[2] = sum + 4 * sum2;
    to[3] = difference + 8 * difference2 + m[5];
  }

  /// A y: four pixels of the result's gradient.
  static YOKE_INLINE void gradient(const Floats (&y)[4], Floats (&to)[6]) {
    const Floats even = y[0] + y[2], odd = y[1] + y[3];
    const Floats even2 = y[0] + 4 * y[2], odd2 = 2 * y[1] + 8 * y[3];
    to[0] = y[0];
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = even2 + odd2;
    to[4] = even2 - odd2;
    to[5] = y[3];
  }

  /// G g: three weights.
  static YOKE_INLINE void weights(const Floats (&g)[3], Floats (&to)[6]) {
    const Floats even = (g[0] + g[2]) * (-1.0F / 6), odd = g[1] * (1.0F / 6);
    const Floats even2 = g[0] * (1.0F / 24) + g[2] * (1.0F / 6), odd2 = g[1] * (1.0F / 12);
    to[0] = g[0] * 0.25F;
    to[1] = even - odd;
    to[2] = even + odd;
    to[3] = even2 + odd2;
    to[4] = even2 - odd2;
    to[5] = g[2];
  }

  /// G' s: the gradient of three weights.
  static YOKE_INLINE void weight_gradient(const Floats (&s)[6], Floats (&to)[3]) {
    const Floats sum = (s[1] + s[2]) * (-1.0F / 6), sum2 = s[3] + s[4];
    to[0] = s[0] * 0.25F + sum + sum2 * (1.0F / 24);
    to[1] = (s[2] - s[1]) * (1.0F / 6) + (s[3] - s[4]) * (1.0F / 12);
    to[2] = sum + sum2 * (1.0F / 6) + s[5];
  }
};

}  // namespace yoke::compiled

// yoke/engine/compiled/kernels/winograd_f45.h: the transforms of F(4, 5), four results of five
// weights, at the points 0, 1, -1, 2, -2, 1/2, -1/2 and infinity (Winograd 1980; the points of
// Lavin's wincnn for eight).
#pragma once
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {

struct WinogradF45 {
  static constexpr int kTaps = 5, kSide = 8;

  /// B' d: eight pixels.
  static YOKE_INLINE void input(const Floats (&d)[8], Floats (&to)[8]) {
    to[0] = (d[0] - d[6]) + 5.25F * (d[4] - d[2]);
    set_pair(d[2] + d[6] - 4.25F * d[4], d[1] + d[5] - 4.25F * d[3], to[1], to[2]);
    set_pair(d[6] + 0.25F * d[2] - 1.25F * d[4], 0.5F * d[1] - 2.5F * d[3] + 2 * d[5], to[3],
             to[4]);
    set_pair(d[6] + 4 * d[2] - 5 * d[4], 2 * d[1] - 2.5F * d[3] + 0.5F * d[5], to[5], to[6]);
    to[7] = (d[7] - d[1]) + 5.25F * (d[3] - d[5]);
  }

  /// B m: what eight products are for the pixels, the transpose of input().
  static YOKE_INLINE void spread(const Floats (&m)[8], Floats (&to)[8]) {
    const Floats sum = m[1] + m[2], difference = m[1] - m[2];
    const Floats sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    const Floats sum_half = m[5] + m[6], difference_half = m[5] - m[6];
    to[0] = m[0];
    to[1] = difference + 0.5F * difference2 + 2 * difference_half - m[7];
    to[2] = sum + 0.25F * sum2 + 4 * sum_half - 5.25F * m[0];
    to[3] = 5.25F * m[7] - 4.25F * difference - 2.5F * (difference2 + difference_half);
    to[4] = 5.25F * m[0] - 4.25F * sum - 1.25F * sum2 - 5 * sum_half;
    to[5] = difference + 2 * difference2 + 0.5F * difference_half - 5.25F * m[7];
    to[6] = sum + sum2 + sum_half - m[0];
    to[7] = m[7];
  }

  /// A' m: four pixels of the result.
  static YOKE_INLINE void result(const Floats (&m)[8], Floats (&to)[4]) {
    const Floats sum = m[1] + m[2], difference = m[1] - m[2];
    const Floats sum2 = m[3] + m[4], difference2 = m[3] - m[4];
    const Floats sum_half = m[5] + m[6], difference_half = m[5] - m[6];
    to[0] = m[0] + sum + sum2 + sum_half;
    to[1] = difference + 2 * difference2 + 0.5F * difference_half;
    to[2] = sum + 4 * sum2 + 0.25F * sum_half;
    to[3] = difference + 8 * difference2 + 0.125F * difference_half + m[7];
  }

  /// A y: four pixels of the result's gradient.
  static YOKE_INLINE void gradient(const Floats (&y)[4], Floats (&to)[8]) {
    to[0] = y[0];
    set_pair(y[0] + y[2], y[1] + y[3], to[1], to[2]);
    set_pair(y[0] + 4 * y[2], 2 * y[1] + 8 * y[3], to[3], to[4]);
    set_pair(y[0] + 0.25F * y[2], 0.5F * y[1] + 0.125F * y[3], to[5], to[6]);
    to[7] = y[3];
  }

  /// G g: five weights.
  static YOKE_INLINE void weights(const Floats (&g)[5], Floats (&to)[8]) {
    to[0] = g[0];
    set_pair(kOne * (g[0] + g[2] + g[4]), kOne * (g[1] + g[3]), to[1], to[2]);
    set_pair(kTwo * (g[0] + 4 * g[2] + 16 * g[4]), kTwo * (2 * g[1] + 8 * g[3]), to[3], to[4]);
    set_pair(kHalf * (g[0] + 0.25F * g[2] + 0.0625F * g[4]), kHalf * (0.5F * g[1] + 0.125F * g[3]),
             to[5], to[6]);
    to[7] = g[4];
  }

  /// G' s: the gradient of five weights.
  static YOKE_INLINE void weight_gradient(const Floats (&s)[8], Floats (&to)[5]) {
    const Floats sum = kOne * (s[1] + s[2]), difference = kOne * (s[1] - s[2]);
    const Floats sum2 = kTwo * (s[3] + s[4]), difference2 = kTwo * (s[3] - s[4]);
    const Floats sum_half = kHalf * (s[5] + s[6]), difference_half = kHalf * (s[5] - s[6]);
    to[0] = s[0] + sum + sum2 + sum_half;
    to[1] = difference + 2 * difference2 + 0.5F * difference_half;
    to[2] = sum + 4 * sum2 + 0.25F * sum_half;
    to[3] = difference + 8 * difference2 + 0.125F * difference_half;
    to[4] = sum + 16 * sum2 + 0.0625F * sum_half + s[7];
  }

 private:
  // One over the product of what lies between a point and the others.
  static constexpr float kOne = -2.0F / 9, kTwo = 1.0F / 90, kHalf = 32.0F / 45;

  /// A polynomial at a point and at its negative, of its even and its odd powers.
  static YOKE_INLINE void set_pair(Floats even, Floats odd, Floats& at, Floats& at_negative) {
    at = even + odd;
    at_negative = even - odd;
  }
};

}  // namespace yoke::compiled

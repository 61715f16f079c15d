// yoke/engine/compiled/kernels/winograd_transforms.h: Winograd's transforms in two dimensions.
#pragma once
#include "yoke/engine/compiled/kernels/winograd_f43.h"
#include "yoke/engine/compiled/kernels/winograd_f45.h"

namespace yoke::compiled::winograd {

/// Calls `work` with the transforms for kernels of so many `taps`, 3 or 5.
template <typename Work>
YOKE_INLINE void with_transforms(std::int64_t taps, const Work& work) {
  taps == WinogradF43::kTaps ? work(WinogradF43()) : work(WinogradF45());
}

/// Transforms the columns of what `load(y, x)` gives, zeros in those that it has not; `store(y, x,
/// lanes)` takes the result.
template <int kFrom, int kTo, void (*kTransform)(const Floats (&)[kFrom], Floats (&)[kTo]),
          typename HasColumn, typename Load, typename Store>
YOKE_INLINE void transform_columns(const HasColumn& has_column, const Load& load,
                                   const Store& store) {
  for (int x = 0; x < kFrom; ++x) {
    Floats column[kFrom], done[kTo] = {};
    if (has_column(x)) {
      for (int y = 0; y < kFrom; ++y) column[y] = load(y, x);
      kTransform(column, done);
    }
    for (int y = 0; y < kTo; ++y) store(y, x, done[y]);
  }
}

/// Likewise the columns, then the rows.
template <int kFrom, int kTo, void (*kTransform)(const Floats (&)[kFrom], Floats (&)[kTo]),
          typename HasColumn, typename Load, typename Store>
YOKE_INLINE void in_both_dimensions(const HasColumn& has_column, const Load& load,
                                    const Store& store) {
  Floats half[kTo][kFrom];
  transform_columns<kFrom, kTo, kTransform>(
      has_column, load, [&](int y, int x, Floats lanes) YOKE_INLINED { half[y][x] = lanes; });
  for (int y = 0; y < kTo; ++y) {
    Floats done[kTo];
    kTransform(half[y], done);
    for (int x = 0; x < kTo; ++x) store(y, x, done[x]);
  }
}

/// What has all columns.
inline constexpr auto kWhole = [](int) YOKE_INLINED { return true; };

}  // namespace yoke::compiled::winograd

// yoke/engine/compiled/kernels/windows.h: which pixels a pooling's windows hold, along one axis.
#pragma once
#include <cstdint>
#include <vector>

namespace yoke::compiled {

/// A pixel that a window holds, or a window that holds a pixel: `at`, and its `tap`, the position
/// in the window.
struct Member {
  std::int32_t at;
  std::int32_t tap;
};

/// Both ways to look at the windows along one axis.
struct WindowAxis {
  std::vector<std::vector<Member>> of_window;  ///< By window: its pixels, in order.
  std::vector<std::vector<Member>> of_pixel;   ///< By pixel: the windows it is in.

  std::int64_t windows() const { return static_cast<std::int64_t>(of_window.size()); }
  std::int64_t pixels() const { return static_cast<std::int64_t>(of_pixel.size()); }
};

/// Windows of `kernel` taps, `dilation` apart, each `stride` after the one before, the first
/// `padding` before the first pixel. Taps outside the image are left out.
WindowAxis regular_windows(std::int64_t pixels, std::int64_t windows, std::int64_t kernel,
                           std::int64_t stride, std::int64_t padding, std::int64_t dilation);

/// `windows` windows that share out `pixels` as PyTorch's adaptive pooling does: window i holds
/// [floor(i * pixels / windows), ceil((i + 1) * pixels / windows)).
WindowAxis adaptive_windows(std::int64_t pixels, std::int64_t windows);

/// Windows of a row of windows whose pixel at an offset lies inside of the image.
struct Inside {
  std::int64_t begin, end;
};

/// Of `windows` windows that are `stride` pixels apart: those whose pixel at `offset`, from where
/// the first window begins without padding, is one of `pixels`.
Inside find_inside(std::int64_t windows, std::int64_t stride, std::int64_t offset,
                   std::int64_t pixels);

}  // namespace yoke::compiled

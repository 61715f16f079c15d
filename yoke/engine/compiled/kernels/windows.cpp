#include "yoke/engine/compiled/kernels/windows.h"

namespace yoke::compiled {
namespace {

WindowAxis make_axis(std::int64_t pixels, std::int64_t windows) {
  WindowAxis axis;
  axis.of_window.resize(static_cast<std::size_t>(windows));
  axis.of_pixel.resize(static_cast<std::size_t>(pixels));
  return axis;
}

void put(WindowAxis& axis, std::int64_t window, std::int64_t pixel, std::int64_t tap) {
  const auto place = static_cast<std::int32_t>(tap);
  axis.of_window[static_cast<std::size_t>(window)].push_back(
      {static_cast<std::int32_t>(pixel), place});
  axis.of_pixel[static_cast<std::size_t>(pixel)].push_back(
      {static_cast<std::int32_t>(window), place});
}

}  // namespace

WindowAxis regular_windows(std::int64_t pixels, std::int64_t windows, std::int64_t kernel,
                           std::int64_t stride, std::int64_t padding, std::int64_t dilation) {
  WindowAxis axis = make_axis(pixels, windows);
  for (std::int64_t window = 0; window < windows; ++window) {
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      const std::int64_t pixel = window * stride - padding + tap * dilation;
      if (pixel >= 0 && pixel < pixels) put(axis, window, pixel, tap);
    }
  }
  return axis;
}

WindowAxis adaptive_windows(std::int64_t pixels, std::int64_t windows) {
  WindowAxis axis = make_axis(pixels, windows);
  for (std::int64_t window = 0; window < windows; ++window) {
    const std::int64_t begin = window * pixels / windows;
    const std::int64_t end = ((window + 1) * pixels + windows - 1) / windows;
    for (std::int64_t pixel = begin; pixel < end; ++pixel) put(axis, window, pixel, pixel - begin);
  }
  return axis;
}

Inside find_inside(std::int64_t windows, std::int64_t stride, std::int64_t offset,
                   std::int64_t pixels) {
  std::int64_t begin = 0, end = windows;
  while (begin < end && begin * stride + offset < 0) ++begin;
  while (end > begin && (end - 1) * stride + offset >= pixels) --end;
  return {begin, end};
}

}  // namespace yoke::compiled

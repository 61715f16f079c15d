#include "yoke/engine/compiled/onednn_faults.h"

namespace yoke::onednn {
namespace {

memory::dim from_last(const memory::dims& dims, std::size_t i) { return dims[dims.size() - 1 - i]; }

/// One direction of a convolution.
struct Line {
  memory::dim size, kernel, stride, step, padding_left, padding_right;

  bool has_pixel(memory::dim begin) const {
    for (memory::dim i = 0; i < kernel; ++i) {
      const auto at = begin + i * step;
      if (at >= 0 && at < size) return true;
    }
    return false;
  }

  /// Whether all that some window sees is padding.
  bool has_empty_window() const {
    const auto last = size + padding_right - (kernel - 1) * step - 1;
    for (auto begin = -padding_left; begin <= last; begin += stride) {
      if (!has_pixel(begin)) return true;
    }
    return false;
  }
};

Line line(const memory::dims& src, const memory::dims& weights, const Windows& windows,
          std::size_t direction) {
  const auto from_end = 1 - direction;
  return {from_last(src, from_end),        from_last(weights, from_end),
          windows.strides[direction],      windows.dilation[direction] + 1,
          windows.padding_left[direction], windows.padding_right[direction]};
}

}  // namespace

std::vector<std::string_view> faulty_forward(const memory::desc& src, const memory::desc& weights,
                                             const Windows& windows) {
  std::vector<std::string_view> names;
  bool has_gaps = false;
  bool has_empty_window = false;
  for (const std::size_t direction : {0, 1}) {
    const auto along = line(dims_of(src), dims_of(weights), windows, direction);
    has_gaps = has_gaps || along.kernel < along.stride;
    has_empty_window = has_empty_window || along.has_empty_window();
  }
  // Windows that leave out pixels: now and then some rows of the result are wrong.
  if (has_gaps) names.emplace_back("brgconv:avx512_core_amx");
  // Version 3 calls a kernel that it has not made.
  if (has_empty_window) names.emplace_back("brg_conv_fwd");
  return names;
}

std::vector<std::string_view> faulty_weight_gradient(const memory::desc& src,
                                                     const memory::desc& weights,
                                                     const Windows& windows) {
  // Images narrower than a stride: reads what nobody wrote, with AMX and without.
  if (from_last(dims_of(src), 0) < windows.strides[1]) return {"bf16"};
  // Dilated windows where input channels do not fill the last block: wrong numbers.
  constexpr memory::dim kBlock = 16;
  const bool is_dilated = windows.dilation[0] > 0 || windows.dilation[1] > 0;
  if (is_dilated && from_last(dims_of(weights), 2) % kBlock != 0) return {"amx"};
  return {};
}

}  // namespace yoke::onednn

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

  memory::dim last_begin() const { return size + padding_right - (kernel - 1) * step - 1; }

  /// Whether all that some window sees is padding.
  bool has_empty_window() const {
    for (auto begin = -padding_left; begin <= last_begin(); begin += stride) {
      if (!has_pixel(begin)) return true;
    }
    return false;
  }

  bool has_one_window() const { return last_begin() + padding_left < stride; }
  bool leaves_out_pixels() const { return kernel < stride; }
  bool has_windows_apart() const { return stride > 1 && kernel <= stride; }
};

/// What the shape of a convolution has to do with faults.
struct Shape {
  Shape(const memory::desc& src, const memory::desc& weights, const Windows& windows)
      : rows(line(src, weights, windows, 0)),
        columns(line(src, weights, windows, 1)),
        group_in(from_last(dims_of(weights), 2)),
        group_out(from_last(dims_of(weights), 3)) {}

  static Line line(const memory::desc& src, const memory::desc& weights, const Windows& windows,
                   std::size_t direction) {
    const auto from_end = 1 - direction;
    return {from_last(dims_of(src), from_end), from_last(dims_of(weights), from_end),
            windows.strides[direction],        windows.dilation[direction] + 1,
            windows.padding_left[direction],   windows.padding_right[direction]};
  }

  bool has_empty_window() const { return rows.has_empty_window() || columns.has_empty_window(); }
  bool leaves_out_pixels() const { return rows.leaves_out_pixels() || columns.leaves_out_pixels(); }
  bool has_windows_apart() const { return rows.has_windows_apart() || columns.has_windows_apart(); }
  bool is_strided() const { return rows.stride > 1 || columns.stride > 1; }
  bool is_dilated() const { return rows.step > 1 || columns.step > 1; }

  Line rows, columns;
  memory::dim group_in, group_out;  // channels of a group
};

bool is_odd(memory::dim channels) { return channels % 2 != 0; }

}  // namespace

std::vector<std::string_view> faulty_forward(const memory::desc& src, const memory::desc& weights,
                                             const Windows& windows) {
  const Shape shape(src, weights, windows);
  std::vector<std::string_view> names;
  // Version 2, windows that leave out pixels: now and then some rows of the result are wrong.
  if (shape.leaves_out_pixels()) names.emplace_back("brgconv:avx512_core_amx");
  // The same of version 3, also where they share none.
  if (shape.has_windows_apart()) names.emplace_back("brg_conv_fwd:avx10_1_512_amx");
  // Version 3, a stride and one column of results: wrong, with AMX and without, also in fp32.
  if (shape.columns.stride > 1 && shape.columns.has_one_window()) {
    names.emplace_back("brg_conv_fwd");
  }
  // Windows without pixels: calls a kernel that it has not made.
  if (shape.has_empty_window()) names.insert(names.end(), {"brgconv", "brg_conv_fwd"});
  // Pairs of channels: of the last one, a half that nobody wrote.
  if (is_odd(shape.group_in)) names.emplace_back("jit_bf16_1x1");
  return names;
}

std::vector<std::string_view> faulty_data_gradient(const memory::desc& src,
                                                   const memory::desc& weights,
                                                   const Windows& windows) {
  const Shape shape(src, weights, windows);
  std::vector<std::string_view> names;
  if (shape.has_empty_window()) names.emplace_back("brg_conv_bwd");
  if (is_odd(shape.group_out)) names.emplace_back("jit_bf16_1x1");
  return names;
}

std::vector<std::string_view> faulty_weight_gradient(const memory::desc& src,
                                                     const memory::desc& weights,
                                                     const Windows& windows) {
  constexpr memory::dim kBlock = 16, kAvx2Block = 8;
  const Shape shape(src, weights, windows);
  std::vector<std::string_view> names;
  // Images narrower than a stride: reads what nobody wrote. Dilated windows where input channels do
  // not fill the last block: wrong numbers.
  if (shape.columns.size < shape.columns.stride ||
      (shape.is_dilated() && shape.group_in % kBlock != 0)) {
    names.insert(names.end(), {"amx", "bf16"});
  }
  // Strided windows of a pixel, over less than a block of channels: writes beyond the end.
  if (shape.is_strided() && shape.group_in < kAvx2Block) names.emplace_back("jit_1x1:avx2");
  return names;
}

}  // namespace yoke::onednn

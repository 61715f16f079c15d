// yoke/engine/compiled/layers/convolution_lowering.cpp: from LibTorch's arguments to a convolution.
#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {
namespace {

struct Axis {
  std::int64_t in, out, taps, stride, dilation, before;
  /// What the last window leaves over is negative padding in oneDNN's terms.
  std::int64_t after() const {
    return (out - 1) * stride + (taps - 1) * dilation + 1 - in - before;
  }
};

/// Pixels before the first on both axes.
std::pair<std::int64_t, std::int64_t> find_padding(const Lowering& lowering,
                                                   const dnnl::memory::dims& kernel,
                                                   std::pair<std::int64_t, std::int64_t> dilation) {
  if (lowering.op() != "aten::_convolution_mode") return lowering.pair(4);
  if (lowering.text(4) == "valid") return {0, 0};
  // "same": where the total is odd, the odd pixel comes last.
  return {dilation.first * (kernel[kernel.size() - 2] - 1) / 2,
          dilation.second * (kernel.back() - 1) / 2};
}

onednn::Windows find_windows(const Lowering& lowering, const dnnl::memory::dims& kernel,
                             const ImageShape& in, const ImageShape& out) {
  const auto [stride_y, stride_x] = lowering.pair(3);
  const auto dilation = lowering.pair(5);
  const auto [pad_y, pad_x] = find_padding(lowering, kernel, dilation);
  const Axis y{in.height, out.height, kernel[kernel.size() - 2], stride_y, dilation.first, pad_y};
  const Axis x{in.width, out.width, kernel.back(), stride_x, dilation.second, pad_x};
  return {.strides = {stride_y, stride_x},
          .dilation = {dilation.first - 1, dilation.second - 1},
          .padding_left = {pad_y, pad_x},
          .padding_right = {y.after(), x.after()}};
}

}  // namespace

// aten::_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
// groups, ...), aten::_convolution_mode(input, weight, bias, stride, padding, dilation, groups)
void lower_convolution(Lowering& lowering) {
  const bool by_name = lowering.op() == "aten::_convolution_mode";
  if (!by_name && lowering.flag(6)) lowering.unsupported("it is transposed");
  auto layer = std::make_unique<Convolution>();
  const ValueId input = lowering.value(0);
  layer->weight = lowering.parameter(1).value();
  layer->bias = lowering.parameter(2);
  layer->input_shape = lowering.shape_of(input).shape;
  layer->output_shape = lowering.output_shape();
  layer->kernel = lowering.parameter_shape(layer->weight);
  if (layer->kernel.size() != 4) lowering.unsupported("it is not of two dimensions");
  const std::int64_t groups = lowering.integer(by_name ? 6 : 8);
  if (groups > 1) {
    layer->kernel.front() /= groups;
    layer->kernel.insert(layer->kernel.begin(), groups);
  }
  layer->windows = find_windows(lowering, layer->kernel, layer->input_shape, layer->output_shape);
  const std::string name = lowering.module_of(layer->weight);
  const ImageShape shape = layer->output_shape;
  lowering.add(std::move(layer), {input}, {shape, false}, name);
}

}  // namespace yoke::compiled

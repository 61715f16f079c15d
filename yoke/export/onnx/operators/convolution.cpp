// yoke/export/onnx/operators/convolution.cpp: convolutions of any number of dimensions.
#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {
namespace {

/// What both forms of the operator say.
struct Windows {
  std::vector<std::int64_t> kernel, strides, dilations, pads;  // pads: all before, then all after
  std::int64_t groups;
};

std::vector<std::int64_t> kernel_of(const Lowering& lowering) {
  std::vector<std::int64_t> kernel;
  for (std::size_t axis = 2; axis < lowering.sizes(1).size(); ++axis) {
    kernel.push_back(lowering.size(1, axis));
  }
  return kernel;
}

void give_convolution(Lowering& lowering, const Windows& windows) {
  std::vector<std::string> inputs = {lowering.value(0), lowering.value(1)};
  if (!lowering.is_none(2)) inputs.push_back(lowering.value(2));
  lowering.give(lowering.add("Conv", inputs,
                             {{"kernel_shape", windows.kernel},
                              {"strides", windows.strides},
                              {"dilations", windows.dilations},
                              {"pads", windows.pads},
                              {"group", windows.groups}}));
}

}  // namespace

void lower_convolution(Lowering& lowering) {
  constexpr std::size_t kTransposed = 6;
  if (lowering.flag(kTransposed)) lowering.unsupported("it is transposed");
  Windows windows{.kernel = kernel_of(lowering),
                  .strides = {},
                  .dilations = {},
                  .pads = {},
                  .groups = lowering.integer(8)};
  const auto count = windows.kernel.size();
  windows.strides = lowering.integers(3, count);
  windows.pads = lowering.integers(4, count);
  windows.pads.insert(windows.pads.end(), windows.pads.begin(), windows.pads.end());
  windows.dilations = lowering.integers(5, count);
  give_convolution(lowering, windows);
}

void lower_convolution_mode(Lowering& lowering) {
  Windows windows{.kernel = kernel_of(lowering),
                  .strides = {},
                  .dilations = {},
                  .pads = {},
                  .groups = lowering.integer(6)};
  const auto count = windows.kernel.size();
  windows.strides = lowering.integers(3, count);
  windows.dilations = lowering.integers(5, count);
  windows.pads.resize(2 * count);
  for (std::size_t i = 0; i < count && lowering.text(4) == "same"; ++i) {
    const auto all = windows.dilations[i] * (windows.kernel[i] - 1);
    windows.pads[i] = all / 2;
    windows.pads[count + i] = all - all / 2;  // where it is odd, the odd pixel comes last
  }
  give_convolution(lowering, windows);
}

}  // namespace yoke::onnx_export

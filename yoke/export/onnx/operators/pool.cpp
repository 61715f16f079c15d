// yoke/export/onnx/operators/pool.cpp: maxima and means over windows and axes.
#include <algorithm>

#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {
namespace {

/// The arguments that both pools begin with.
struct Pool {
  explicit Pool(const Lowering& lowering)
      : kernel(lowering.integers(1, 2)),
        strides(lowering.integers(2).empty() ? kernel : lowering.integers(2, 2)),
        padding(lowering.integers(3, 2)) {}

  /// Before the first pixels, then after the last: as much as the last windows reach beyond them,
  /// which also says whether there are incomplete ones.
  std::vector<std::int64_t> pads(const Lowering& lowering) const {
    std::vector<std::int64_t> pads = padding;
    const auto out = lowering.output_sizes();
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t axis = out.size() - 2 + i;
      if (!out[axis]) lowering.unsupported("its sizes depend on the number of images");
      const auto reach = (*out[axis] - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1;
      pads.push_back(std::max<std::int64_t>(reach - lowering.size(0, axis) - padding[i], 0));
    }
    return pads;
  }

  std::vector<std::int64_t> kernel, strides, padding;
  std::vector<std::int64_t> dilations = {1, 1};
};

/// The matrix [windows, pixels] whose product with pixels gives the means of adaptive windows.
torch::Tensor window_means(std::int64_t pixels, std::int64_t windows) {
  auto means = torch::zeros({windows, pixels});
  for (std::int64_t window = 0; window < windows; ++window) {
    const std::int64_t begin = window * pixels / windows;
    const std::int64_t end = ((window + 1) * pixels + windows - 1) / windows;
    means[window].slice(0, begin, end).fill_(1.0 / static_cast<double>(end - begin));
  }
  return means;
}

}  // namespace

void lower_max_pool(Lowering& lowering) {
  Pool pool(lowering);
  pool.dilations = lowering.integers(4, 2);
  lowering.give(lowering.add("MaxPool", {lowering.value(0)},
                             {{"kernel_shape", pool.kernel},
                              {"strides", pool.strides},
                              {"dilations", pool.dilations},
                              {"pads", pool.pads(lowering)}}));
}

void lower_average_pool(Lowering& lowering) {
  constexpr std::size_t kCountPadding = 5, kDivisor = 6;
  const Pool pool(lowering);
  if (!lowering.is_none(kDivisor)) lowering.unsupported("its divisor is given");
  const auto pads = pool.pads(lowering);
  const bool counts = lowering.flag(kCountPadding);
  const bool reaches_out = pads[2] > pool.padding[0] || pads[3] > pool.padding[1];
  if (counts && reaches_out)
    lowering.unsupported("its last windows are incomplete, and counted so");
  lowering.give(lowering.add("AveragePool", {lowering.value(0)},
                             {{"kernel_shape", pool.kernel},
                              {"strides", pool.strides},
                              {"pads", pads},
                              {"count_include_pad", counts ? 1 : 0}}));
}

void lower_adaptive_average_pool(Lowering& lowering) {
  const auto out = lowering.integers(1, 2);
  if (out[0] == 1 && out[1] == 1) {
    return lowering.give(lowering.add("GlobalAveragePool", {lowering.value(0)}));
  }
  const auto last = lowering.sizes(0).size();
  const std::vector<std::int64_t> in = {lowering.size(0, last - 2), lowering.size(0, last - 1)};
  if (in[0] % out[0] != 0 || in[1] % out[1] != 0) {
    // Windows of different sizes, which ONNX has not: means over rows, then over columns.
    const auto rows = lowering.constant(window_means(in[0], out[0]));
    const auto columns = lowering.constant(window_means(in[1], out[1]).t().contiguous());
    const auto of_rows = lowering.add("MatMul", {rows, lowering.value(0)});
    return lowering.give(lowering.add("MatMul", {of_rows, columns}));
  }
  const std::vector<std::int64_t> kernel = {in[0] / out[0], in[1] / out[1]};
  lowering.give(lowering.add("AveragePool", {lowering.value(0)},
                             {{"kernel_shape", kernel}, {"strides", kernel}}));
}

void lower_mean(Lowering& lowering) {
  if (lowering.arguments() < 4) lowering.unsupported("it is over all images");
  lowering.give(
      lowering.add("ReduceMean", {lowering.value(0)},
                   {{"axes", lowering.integers(1)}, {"keepdims", lowering.flag(2) ? 1 : 0}}));
}

}  // namespace yoke::onnx_export

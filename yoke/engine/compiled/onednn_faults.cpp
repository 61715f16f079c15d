#include "yoke/engine/compiled/onednn_faults.h"

namespace yoke::onednn {
namespace {

memory::dim from_last(const memory::dims& dims, std::size_t i) { return dims[dims.size() - 1 - i]; }

}  // namespace

const char* faulty_forward(const memory::desc& weights, const Windows& windows) {
  // Windows that leave out pixels: now and then some rows of the result are wrong.
  const auto dims = dims_of(weights);
  const bool has_gaps =
      from_last(dims, 1) < windows.strides[0] || from_last(dims, 0) < windows.strides[1];
  return has_gaps ? "brgconv:avx512_core_amx" : nullptr;
}

const char* faulty_weight_gradient(const memory::desc& src, const memory::desc& weights,
                                   const Windows& windows) {
  // Images narrower than a stride: reads what nobody wrote, with AMX and without.
  if (from_last(dims_of(src), 0) < windows.strides[1]) return "bf16";
  // Dilated windows where input channels do not fill the last block: wrong numbers.
  constexpr memory::dim kBlock = 16;
  const bool is_dilated = windows.dilation[0] > 0 || windows.dilation[1] > 0;
  return is_dilated && from_last(dims_of(weights), 2) % kBlock != 0 ? "amx" : nullptr;
}

}  // namespace yoke::onednn

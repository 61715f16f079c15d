#include "tests/engine/primitives.h"

#include <torch/utils.h>

#include <cstring>

namespace yoke::test {

using dnnl::memory;
using torch::Tensor;

namespace {

memory plain(const Tensor& numbers, const dnnl::engine& engine) {
  return {{numbers.sizes().vec(), memory::data_type::f32, numbers.strides().vec()},
          engine,
          numbers.data_ptr()};
}

}  // namespace

Tensor bf16_noise(const std::vector<std::int64_t>& sizes) {
  return torch::randn(sizes).to(torch::kBFloat16).to(torch::kFloat64);
}

memory Primitives::holding(const Tensor& values, const memory::desc& wanted) {
  const auto numbers = values.to(torch::kFloat32).contiguous();
  memory from = plain(numbers, engine_), result(wanted, engine_);
  dnnl::reorder(from, result).execute(stream_, from, result);
  stream_.wait();
  return result;
}

Tensor Primitives::run(const dnnl::primitive& primitive, const memory::desc& scratchpad,
                       Arguments arguments, int result, const memory::desc& written) {
  memory from(written, engine_);
  std::memset(from.get_data_handle(), 0x7f, written.get_size());
  arguments[result] = from;
  arguments[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, engine_);
  primitive.execute(stream_, arguments);
  const auto numbers = torch::empty(onednn::dims_of(written));
  memory to = plain(numbers, engine_);
  dnnl::reorder(from, to).execute(stream_, from, to);
  stream_.wait();
  return numbers.to(torch::kFloat64);
}

bool is_near(const Tensor& actual, const Tensor& expected, const Tensor& magnitude) {
  const auto most = 0x1p-7 * expected.abs() + 1e-4 * magnitude;
  return ((actual - expected).abs() <= most).all().item<bool>();
}

}  // namespace yoke::test

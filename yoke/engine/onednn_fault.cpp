#include "yoke/engine/onednn_fault.h"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/utils.h>

#include "yoke/engine/compiled/onednn.h"

namespace yoke {
namespace {

using dnnl::memory;
using torch::Tensor;

struct Layer {
  std::int64_t images, inputs, outputs;
};

// None of their blocks is full, whatever its size.
constexpr Layer kTried[] = {{17, 100, 33}, {64, 100, 48}, {100, 200, 300}};

/// Of which products and their sums are exact in fp32, in any order.
Tensor whole_numbers(std::int64_t rows, std::int64_t columns) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(/*seed=*/1);
  return torch::randint(-4, 5, {rows, columns}, generator, torch::kFloat32);
}

memory plain(const Tensor& matrix, const dnnl::engine& engine) {
  return {{matrix.sizes().vec(), memory::data_type::f32, memory::format_tag::ab},
          engine,
          matrix.data_ptr()};
}

/// images [N, I] times weights [O, I] transposed, with weights as oneDNN likes them to lie.
Tensor by_onednn(const Tensor& images, const Tensor& weights) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const Tensor result = torch::zeros({images.size(0), weights.size(0)});
  memory from = plain(images, engine), given = plain(weights, engine), to = plain(result, engine);
  const memory::desc any(weights.sizes().vec(), memory::data_type::f32, memory::format_tag::any);
  const auto description =
      onednn::inner_product_forward(engine, true, from.get_desc(), any, {}, to.get_desc(), nullptr);
  memory blocks(description.weights_desc(), engine);
  dnnl::reorder(given, blocks).execute(stream, given, blocks);
  dnnl::inner_product_forward(description)
      .execute(stream, {{DNNL_ARG_SRC, from},
                        {DNNL_ARG_WEIGHTS, blocks},
                        {DNNL_ARG_DST, to},
                        {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine)}});
  stream.wait();
  return result;
}

}  // namespace

std::string onednn_fault() {
  const torch::NoGradGuard no_grad;
  for (const auto& [images, inputs, outputs] : kTried) {
    const Tensor a = whole_numbers(images, inputs), b = whole_numbers(outputs, inputs);
    const Tensor expected = a.to(torch::kFloat64).mm(b.to(torch::kFloat64).t());  // by BLAS
    const double apart =
        (by_onednn(a, b).to(torch::kFloat64) - expected).abs().max().item<double>();
    if (apart == 0) continue;
    const auto& version = *dnnl_version();
    return fmt::format(
        "oneDNN {}.{}.{} multiplies wrongly on this machine: {} rows of {} numbers by {}, off by "
        "{:.3g}",
        version.major, version.minor, version.patch, images, inputs, outputs, apart);
  }
  return "";
}

}  // namespace yoke

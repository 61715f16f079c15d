// The gradient of weights by Winograd's tiles.
#include <fmt/format.h>

#include "yoke/engine/compiled/layers/winograd_blocks.h"
#include "yoke/engine/compiled/layers/winograd_convolution.h"
#include "yoke/engine/compiled/layers/winograd_layer.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// Inputs and outputs whose sums are made at once. Where all tiles are one block, nothing is added
/// to sums later: then so few that they stay in the cache until they are transformed.
WinogradKernel part_of(const WinogradKernel& kernel, bool is_filled, const TileBlocks& blocks) {
  if (blocks.size < blocks.tiles || is_filled) return kernel;
  const auto part = [](std::int64_t channels) {
    for (const std::int64_t together : {128, 64}) {
      if (channels % together == 0) return together;
    }
    return channels;
  };
  return {part(kernel.outputs), part(kernel.inputs), kernel.taps};
}

/// Sums over tiles of what the result's gradient has to do with the input.
class WeightGradient {
 public:
  WeightGradient(Builder& builder, const Convolution& layer, const Tensor& input,
                 const Tensor& gradient);
  void run(bool accumulate);
  const std::string& code() const { return products_.front().code(); }

 private:
  void add_product(Builder& builder, std::int64_t tiles, bool add);
  TileProduct& product(bool first, bool whole) {
    return products_[(first ? 0U : 2U) + (whole ? 0U : 1U)];
  }
  void transform(TileRange range, float* bias);
  void sum_blocks(float* bias, float* weights);
  void sum_parts(float* bias, float* weights);

  WinogradKernel kernel_;
  std::int64_t inputs_;  // without those that fill up
  TileBlocks blocks_;
  WinogradKernel part_;
  memory::dims padding_;
  Tensor input_, gradient_;
  BlockMatrices seen_, given_;
  Buffer* sums_;                       // of a part: fp32 [P, I, O]
  std::vector<TileProduct> products_;  // of the first block: whole, last; adding: whole, last
  ParameterGradients gradients_;
  dnnl::stream stream_;
};

WeightGradient::WeightGradient(Builder& builder, const Convolution& layer, const Tensor& input,
                               const Tensor& gradient)
    : kernel_(filled_kernel(layer.kernel)),
      inputs_(layer.kernel[1]),
      blocks_(tile_blocks(builder.batch(), layer.output_shape, kernel_)),
      part_(part_of(kernel_, kernel_.inputs > inputs_, blocks_)),
      padding_(layer.windows.padding_left),
      input_(with_channels_together(builder, input)),
      gradient_(with_channels_together(builder, gradient)),
      seen_(builder, blocks_, kernel_.inputs, type_of_tiles(builder.type(), kernel_.taps)),
      given_(builder, blocks_, kernel_.outputs, type_of_tiles(builder.type(), kernel_.taps)),
      gradients_(builder, layer),
      stream_(builder.workspace().stream) {
  builder.use(input_);
  const std::int64_t sums = winograd_products(part_.taps) * part_.inputs * part_.outputs;
  sums_ = builder.buffer(static_cast<std::size_t>(sums) * sizeof(float));
  builder.touch(sums_);
  for (const bool add : {false, true}) {
    for (const std::int64_t tiles : {blocks_.size, blocks_.size_of_last()}) {
      add_product(builder, tiles, add);
    }
  }
}

void WeightGradient::add_product(Builder& builder, std::int64_t tiles, bool add) {
  const auto a = seen_.transposed(tiles, part_.inputs), b = given_.desc(tiles, part_.outputs);
  const auto c = matrix_stack(winograd_products(part_.taps), part_.inputs, part_.outputs,
                              memory::data_type::f32);
  const auto& engine = builder.engine();
  products_.emplace_back(
      builder, add ? onednn::matmul_adding(engine, a, b, c) : onednn::matmul(engine, a, b, c),
      builder.memory(a, seen_.buffer()), builder.memory(b, given_.buffer()),
      builder.memory(c, sums_));
}

void WeightGradient::run(bool accumulate) {
  float* const bias = gradients_.zeroed_bias(accumulate);
  float* const weights = gradients_.weight(accumulate);
  blocks_.size < blocks_.tiles ? sum_blocks(bias, weights) : sum_parts(bias, weights);
  gradients_.finish(accumulate, stream_);
}

void WeightGradient::transform(TileRange range, float* bias) {
  winograd_input(input_, blocks_.grid, range, padding_[0], padding_[1], seen_.matrices());
  winograd_gradient(gradient_, blocks_.grid, range, given_.matrices(), bias);
}

void WeightGradient::sum_blocks(float* bias, float* weights) {
  blocks_.for_each([&](TileRange range, bool whole) {
    transform(range, bias);
    product(range.first == 0, whole).run(stream_);
  });
  winograd_weight_gradient(reinterpret_cast<const float*>(sums_->data), kernel_, inputs_, weights);
}

void WeightGradient::sum_parts(float* bias, float* weights) {
  transform({0, blocks_.tiles}, bias);
  for (std::int64_t o = 0; o < kernel_.outputs; o += part_.outputs) {
    for (std::int64_t i = 0; i < kernel_.inputs; i += part_.inputs) {
      product(true, true).run(stream_, seen_.from(i), given_.from(o));
      winograd_weight_gradient(reinterpret_cast<const float*>(sums_->data), part_, inputs_,
                               weights + (o * inputs_ + i) * kernel_.taps * kernel_.taps);
    }
  }
}

}  // namespace

void plan_winograd_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                   const Tensor& gradient) {
  const auto sums = std::make_shared<WeightGradient>(builder, layer, input, gradient);
  add_pass(builder, layer, fmt::format("weight gradient (winograd {})", sums->code()),
           [sums](const MicroBatch& micro) { sums->run(micro.accumulate); });
}

}  // namespace yoke::compiled

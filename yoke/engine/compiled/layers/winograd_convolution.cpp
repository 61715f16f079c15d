#include "yoke/engine/compiled/layers/winograd_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/engine/compiled/layers/winograd_blocks.h"
#include "yoke/engine/compiled/layers/winograd_layer.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// `tensor` with channels beside one another.
Tensor with_channels_together(Builder& builder, const Tensor& tensor) {
  const bool is = tensor.format == Format::kChannelsLast || tensor.format == Format::kBlocks16;
  const Tensor result =
      builder.converted(tensor, is ? tensor.format : Format::kBlocks16, builder.type());
  return builder.use(result);
}

/// A convolution of `from` to `to`, or its transpose, by weights that are there as matrices. Tiles
/// are those of images of `tiled`: the result's, or the gradient's that is transposed.
struct TiledConvolution {
  TiledConvolution(Builder& builder, const Tensor& from, const Tensor& to, const ImageShape& tiled,
                   const memory& weights, std::int64_t taps, const memory::dims& padding)
      : padding(padding),
        blocks(tile_blocks(to.batch, tiled, {to.shape.channels, from.shape.channels, taps})),
        from(builder.use(from)),
        to(builder.use(to)),
        seen(builder, blocks, from.shape.channels),
        made(builder, blocks, to.shape.channels),
        whole(product(builder, blocks.size, weights)),
        last(product(builder, blocks.size_of_last(), weights)) {}

  TileProduct product(Builder& builder, std::int64_t tiles, const memory& weights) const {
    const auto a = seen.desc(tiles), c = made.desc(tiles);
    return {builder, onednn::matmul(builder.engine(), a, weights.get_desc(), c),
            builder.memory(a, seen.buffer()), weights, builder.memory(c, made.buffer())};
  }

  void run(const Epilogue& epilogue, dnnl::stream& stream) const {
    blocks.for_each([&](TileRange range, bool is_whole) {
      winograd_input(from, blocks.grid, range, padding[0], padding[1], seen.matrices());
      (is_whole ? whole : last).run(stream);
      winograd_result(made.matrices(), blocks.grid, range, epilogue.bias, epilogue.slope_or_null(),
                      to);
    });
  }

  void run_transposed(dnnl::stream& stream) const {
    std::fill_n(to.data<float>(), to.elements(), 0.0F);
    blocks.for_each([&](TileRange range, bool is_whole) {
      winograd_gradient(from, blocks.grid, range, seen.matrices(), nullptr);
      (is_whole ? whole : last).run(stream);
      winograd_spread(made.matrices(), blocks.grid, range, padding[0], padding[1], to);
    });
  }

  memory::dims padding;  // before the first pixel
  TileBlocks blocks;
  Tensor from, to;
  BlockMatrices seen, made;
  TileProduct whole, last;
};

/// Weights to multiply the input's tiles by, and sums of what their gradient is.
memory::desc forward_matrices(const WinogradKernel& kernel) {
  return matrix_stack(winograd_products(kernel.taps), kernel.inputs, kernel.outputs);
}

void as_matrices(const float* from, const memory::dims& dims, float* to) {
  winograd_weights(from, winograd_kernel(dims), to);
}
void as_turned_matrices(const float* from, const memory::dims& dims, float* to) {
  winograd_turned_weights(from, winograd_kernel(dims), to);
}

void as_transposed_matrices(const float* from, const memory::dims& dims, float* to) {
  winograd_transposed_weights(from, winograd_kernel(dims), to);
}

/// Whether the result has fewer tiles than the input, of which each is then added to what it saw.
bool is_better_transposed(const Convolution& layer) {
  const auto tiles = [&](const ImageShape& shape) {
    return WinogradTiles{shape.height, shape.width, layer.kernel[2]}.per_image();
  };
  return tiles(layer.output_shape) < tiles(layer.input_shape);
}

/// Sums over tiles of what the result's gradient has to do with the input.
class WeightGradient {
 public:
  WeightGradient(Builder& builder, const Convolution& layer, const Tensor& input,
                 const Tensor& gradient);
  void run(bool accumulate);
  const std::string& code() const { return products_.front().code(); }

 private:
  const TileProduct& product(bool first, bool whole) const {
    return products_[(first ? 0U : 2U) + (whole ? 0U : 1U)];
  }

  WinogradKernel kernel_;
  TileBlocks blocks_;
  memory::dims padding_;
  Tensor input_, gradient_;
  BlockMatrices seen_, given_;
  Buffer* sums_;                       // fp32 [P, I, O]
  std::vector<TileProduct> products_;  // of the first block: whole, last; adding: whole, last
  ParameterGradients gradients_;
  dnnl::stream stream_;
};

WeightGradient::WeightGradient(Builder& builder, const Convolution& layer, const Tensor& input,
                               const Tensor& gradient)
    : kernel_(winograd_kernel(layer.kernel)),
      blocks_(tile_blocks(builder.batch(), layer.output_shape, kernel_)),
      padding_(layer.windows.padding_left),
      input_(with_channels_together(builder, input)),
      gradient_(with_channels_together(builder, gradient)),
      seen_(builder, blocks_, kernel_.inputs),
      given_(builder, blocks_, kernel_.outputs),
      gradients_(builder, layer),
      stream_(builder.workspace().stream) {
  builder.use(input_);
  const auto c = forward_matrices(kernel_);
  sums_ = builder.buffer(c.get_size());
  builder.touch(sums_);
  for (const bool add : {false, true}) {
    for (const std::int64_t tiles : {blocks_.size, blocks_.size_of_last()}) {
      const auto a = seen_.transposed(tiles), b = given_.desc(tiles);
      const auto& engine = builder.engine();
      products_.emplace_back(
          builder, add ? onednn::matmul_adding(engine, a, b, c) : onednn::matmul(engine, a, b, c),
          builder.memory(a, seen_.buffer()), builder.memory(b, given_.buffer()),
          builder.memory(c, sums_));
    }
  }
}

void WeightGradient::run(bool accumulate) {
  float* const bias = gradients_.zeroed_bias(accumulate);
  blocks_.for_each([&](TileRange range, bool whole) {
    winograd_input(input_, blocks_.grid, range, padding_[0], padding_[1], seen_.matrices());
    winograd_gradient(gradient_, blocks_.grid, range, given_.matrices(), bias);
    product(range.first == 0, whole).run(stream_);
  });
  winograd_weight_gradient(reinterpret_cast<const float*>(sums_->data), kernel_,
                           gradients_.weight(accumulate));
  gradients_.finish(accumulate, stream_);
}

}  // namespace

Tensor plan_winograd(Builder& builder, const Convolution& layer, const Tensor& input) {
  const Tensor from = with_channels_together(builder, input);
  const Tensor to = builder.define(layer.output, from.format, builder.type());
  const auto kernel = winograd_kernel(layer.kernel);
  const memory weights =
      builder.weights(layer.weight, layer.kernel, forward_matrices(kernel), as_matrices);
  const auto pass = std::make_shared<TiledConvolution>(builder, from, to, to.shape, weights,
                                                       kernel.taps, layer.windows.padding_left);
  const Epilogue epilogue = epilogue_of(builder, layer);
  add_pass(builder, layer, fmt::format("convolution (winograd {})", pass->whole.code()),
           [pass, epilogue, &stream = builder.workspace().stream](const MicroBatch&) {
             pass->run(epilogue, stream);
           });
  return to;
}

void plan_winograd_data_gradient(Builder& builder, const Convolution& layer,
                                 const Tensor& gradient) {
  const Tensor from = with_channels_together(builder, gradient);
  const auto kernel = winograd_kernel(layer.kernel);
  const auto& padding = layer.windows.padding_left;
  const bool transposed = is_better_transposed(layer);
  // Where tiles overlap, bf16 would round each time.
  const Tensor to = builder.contribute(layer.inputs[0], from.format,
                                       transposed ? memory::data_type::f32 : builder.type());
  const memory weights =
      builder.weights(layer.weight, layer.kernel,
                      matrix_stack(winograd_products(kernel.taps), kernel.outputs, kernel.inputs),
                      transposed ? as_transposed_matrices : as_turned_matrices);
  const auto pass = std::make_shared<TiledConvolution>(
      builder, from, to, transposed ? from.shape : to.shape, weights, kernel.taps,
      transposed ? padding
                 : memory::dims{kernel.taps - 1 - padding[0], kernel.taps - 1 - padding[1]});
  add_pass(builder, layer, fmt::format("data gradient (winograd {})", pass->whole.code()),
           [pass, transposed, &stream = builder.workspace().stream](const MicroBatch&) {
             transposed ? pass->run_transposed(stream) : pass->run({}, stream);
           });
}

void plan_winograd_weight_gradient(Builder& builder, const Convolution& layer, const Tensor& input,
                                   const Tensor& gradient) {
  const auto sums = std::make_shared<WeightGradient>(builder, layer, input, gradient);
  add_pass(builder, layer, fmt::format("weight gradient (winograd {})", sums->code()),
           [sums](const MicroBatch& micro) { sums->run(micro.accumulate); });
}

}  // namespace yoke::compiled

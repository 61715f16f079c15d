#include "yoke/engine/compiled/layers/winograd_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/engine/compiled/layers/winograd_blocks.h"
#include "yoke/engine/compiled/layers/winograd_layer.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// A convolution of `from` to `to`, or its transpose, by weights that are there as matrices. Tiles
/// are those of images of `tiled`: the result's, or the gradient's that is transposed.
struct TiledConvolution {
  TiledConvolution(Builder& builder, const Tensor& from, const Tensor& to, const TileBlocks& blocks,
                   const memory& weights, const memory::dims& padding)
      : padding(padding),
        blocks(blocks),
        from(builder.use(from)),
        to(builder.use(to)),
        seen(builder, blocks, channels_of(from), onednn::type_of(weights.get_desc())),
        made(builder, blocks, channels_of(to), memory::data_type::f32),
        whole(product(builder, blocks.size, weights)),
        last(product(builder, blocks.size_of_last(), weights)) {}

  static std::int64_t channels_of(const Tensor& tensor) {
    return filled_channels(tensor.shape.channels);
  }

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

void as_matrices(const float* from, const memory::dims& dims, const memory& to) {
  void* const data = to.get_data_handle();
  const WinogradKernel kernel = winograd_kernel(dims);
  onednn::type_of(to.get_desc()) == memory::data_type::bf16
      ? winograd_weights(from, kernel, static_cast<BFloat16*>(data))
      : winograd_weights(from, kernel, static_cast<float*>(data));
}

void as_transposed_matrices(const float* from, const memory::dims& dims, const memory& to) {
  winograd_transposed_weights(from, winograd_kernel(dims),
                              static_cast<float*>(to.get_data_handle()));
}

/// The weights of `layer`, [P, I, O].
memory weight_matrices(Builder& builder, const Convolution& layer) {
  const auto [outputs, inputs, taps] = filled_kernel(layer.kernel);
  return builder.weights(
      layer.weight, layer.kernel,
      matrix_stack(winograd_products(taps), inputs, outputs, type_of_tiles(builder.type(), taps)),
      as_matrices);
}

/// Likewise [P, O, I]: in bf16 the same numbers; in fp32, where products by transposed matrices are
/// 6 to 17 % slower, a copy.
memory transposed_weight_matrices(Builder& builder, const Convolution& layer) {
  const auto [outputs, inputs, taps] = filled_kernel(layer.kernel);
  if (type_of_tiles(builder.type(), taps) == memory::data_type::bf16) {
    const memory matrices = weight_matrices(builder, layer);
    return {matrices.get_desc().permute_axes({0, 2, 1}), builder.engine(),
            matrices.get_data_handle()};
  }
  return builder.weights(
      layer.weight, layer.kernel,
      matrix_stack(winograd_products(taps), outputs, inputs, memory::data_type::f32),
      as_transposed_matrices);
}

/// Whether the result has fewer tiles than the input, of which each is then added to what it saw.
bool is_better_transposed(const Convolution& layer) {
  const auto tiles = [&](const ImageShape& shape) {
    return WinogradTiles{shape.height, shape.width, layer.kernel[2]}.per_image();
  };
  return tiles(layer.output_shape) < tiles(layer.input_shape);
}

}  // namespace

Tensor plan_winograd(Builder& builder, const Convolution& layer, const Tensor& input) {
  const Tensor from = with_channels_together(builder, input);
  const Tensor to = builder.define(layer.output, from.format, builder.type());
  const auto pass = std::make_shared<TiledConvolution>(
      builder, from, to, tile_blocks(to.batch, to.shape, filled_kernel(layer.kernel)),
      weight_matrices(builder, layer), layer.windows.padding_left);
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
  const WinogradKernel kernel = filled_kernel(layer.kernel);
  const auto& [strides, dilation, before, after] = layer.windows;
  const bool spread = is_better_transposed(layer);
  // Where tiles overlap, bf16 would round each time.
  const Tensor to =
      builder.contribute(layer.inputs[0], format_of_tiles(layer.kernel[1], from.format),
                         spread ? memory::data_type::f32 : builder.type());
  TileBlocks blocks = tile_blocks(to.batch, spread ? from.shape : to.shape, kernel);
  blocks.grid.turned = !spread;
  const auto pass = std::make_shared<TiledConvolution>(
      builder, from, to, blocks, transposed_weight_matrices(builder, layer),
      spread ? before : memory::dims{kernel.taps - 1 - after[0], kernel.taps - 1 - after[1]});
  add_pass(builder, layer, fmt::format("data gradient (winograd {})", pass->whole.code()),
           [pass, spread, &stream = builder.workspace().stream](const MicroBatch&) {
             spread ? pass->run_transposed(stream) : pass->run({}, stream);
           });
}

}  // namespace yoke::compiled

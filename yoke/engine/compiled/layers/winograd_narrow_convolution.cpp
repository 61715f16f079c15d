#include "yoke/engine/compiled/layers/winograd_narrow_convolution.h"

#include <algorithm>

#include "yoke/engine/compiled/layers/winograd_blocks.h"
#include "yoke/engine/compiled/layers/winograd_layer.h"

namespace yoke::compiled {
namespace {

using dnnl::memory;

/// [O / 16, P, C, 16] in its order.
memory::desc blocked_matrices(const WinogradKernel& kernel) {
  return contiguous_desc({kernel.outputs / kWinogradChannels,
                          winograd_products(kernel.taps) * kernel.inputs, kWinogradChannels});
}

void as_blocks(const float* from, const memory::dims& dims, const memory& to) {
  winograd_blocked_weights(from, winograd_kernel(dims), static_cast<float*>(to.get_data_handle()));
}

Buffer* floats(Builder& builder, std::int64_t count) {
  Buffer* const buffer = builder.buffer(static_cast<std::size_t>(count) * sizeof(float));
  builder.touch(buffer);
  return buffer;
}

float* data(const Buffer* buffer) { return reinterpret_cast<float*>(buffer->data); }

NarrowTiles tiles_in(NarrowTiles tiles, const Buffer* buffer) {
  tiles.data = data(buffer);
  return tiles;
}

}  // namespace

NarrowWinograd::NarrowWinograd(const Convolution& layer)
    : layer_(layer),
      tiles_{{layer.output_shape.height, layer.output_shape.width, layer.kernel[2]},
             layer.kernel[1],
             nullptr} {}

Tensor NarrowWinograd::plan(Builder& builder, const Tensor& input, bool channels_last) {
  const Tensor from = builder.converted(input, Format::kPlain, input.type);
  const Format format = channels_last ? Format::kChannelsLast : Format::kBlocks16;
  const Tensor to = builder.use(builder.define(layer_.output, format, builder.type()));
  seen_ = floats(builder, tiles_.floats(builder.batch()));
  Buffer* const frames = floats(builder, tiles_.frame_floats(builder.batch()));
  const memory weights = builder.weights(
      layer_.weight, layer_.kernel, blocked_matrices(winograd_kernel(layer_.kernel)), as_blocks);
  const Epilogue epilogue = epilogue_of(builder, layer_);
  const memory::dims& padding = layer_.windows.padding_left;
  add_pass(
      builder, layer_, "convolution (winograd in registers)",
      [=, tiles = tiles_, seen = seen_, pad_y = padding[0], pad_x = padding[1]](const MicroBatch&) {
        const NarrowTiles found = tiles_in(tiles, seen);
        winograd_narrow_input(from, pad_y, pad_x, data(frames), found);
        winograd_narrow_result(found, static_cast<const float*>(weights.get_data_handle()),
                               epilogue.bias, epilogue.slope_or_null(), to);
      });
  return to;
}

void NarrowWinograd::plan_weight_gradient(Builder& builder, const Tensor& gradient) {
  const bool together =
      gradient.format == Format::kChannelsLast || gradient.format == Format::kBlocks16;
  const Tensor given = builder.use(
      builder.converted(gradient, together ? gradient.format : Format::kBlocks16, builder.type()));
  const WinogradKernel kernel = winograd_kernel(layer_.kernel);
  const auto count = static_cast<std::int64_t>(blocked_matrices(kernel).get_size() / sizeof(float));
  Buffer* const sums = floats(builder, count);
  builder.touch(seen_);
  const ParameterGradients gradients(builder, layer_);
  add_pass(builder, layer_, "weight gradient (winograd in registers)",
           [=, tiles = tiles_, seen = seen_,
            &stream = builder.workspace().stream](const MicroBatch& micro) {
             std::fill_n(data(sums), count, 0.0F);
             winograd_narrow_gradient(tiles_in(tiles, seen), given, data(sums),
                                      gradients.zeroed_bias(micro.accumulate));
             winograd_blocked_weight_gradient(data(sums), kernel,
                                              gradients.weight(micro.accumulate));
             gradients.finish(micro.accumulate, stream);
           });
}

}  // namespace yoke::compiled

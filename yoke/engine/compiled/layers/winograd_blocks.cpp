#include "yoke/engine/compiled/layers/winograd_blocks.h"

#include <algorithm>

namespace yoke::compiled {

using dnnl::memory;

WinogradKernel winograd_kernel(const memory::dims& weights) {
  return {weights[0], weights[1], weights[2]};
}

WinogradKernel filled_kernel(const memory::dims& weights) {
  return {weights[0], filled_channels(weights[1]), weights[2]};
}

TileBlocks tile_blocks(std::int64_t images, const ImageShape& tiled, const WinogradKernel& kernel) {
  const WinogradTiles grid{tiled.height, tiled.width, kernel.taps};
  const std::int64_t tiles = images * grid.per_image();
  // Of few channels, tiles in the cache: odd, so that rows of their matrices do not share its
  // lines. Of many, as many tiles as channels, so that neither they nor the weights, which are read
  // once a block, are most of what is moved; their matrices lie a line further apart, for which
  // oneDNN takes other code.
  constexpr std::int64_t kFew = 128, kLeast = 64, kMost = 512;
  const std::int64_t cached = kernel.taps == 3 ? 95 : 53;
  const auto [outputs, inputs, taps] = kernel;
  const bool few = inputs <= kFew && outputs <= kFew;
  const std::int64_t even = std::clamp(2 * inputs * outputs / (inputs + outputs), kLeast, kMost);
  return {grid, tiles, std::min(few ? cached : even, tiles), few};
}

memory::desc matrix_stack(std::int64_t products, std::int64_t rows, std::int64_t columns,
                          memory::data_type type) {
  return {{products, rows, columns}, type, memory::format_tag::abc};
}

Format format_of_tiles(std::int64_t channels, Format liked) {
  const bool whole = channels % kWinogradChannels == 0;
  return liked == Format::kChannelsLast && whole ? liked : Format::kBlocks16;
}

Tensor with_channels_together(Builder& builder, const Tensor& tensor) {
  return builder.use(builder.converted(
      tensor, format_of_tiles(tensor.shape.channels, tensor.format), builder.type()));
}

BlockMatrices::BlockMatrices(Builder& builder, const TileBlocks& blocks, std::int64_t channels,
                             memory::data_type type)
    : products_(winograd_products(blocks.grid.taps)),
      channels_(channels),
      pitch_(blocks.size * channels),
      type_(type) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = memory::data_type_size(type);
  if (!blocks.dense) pitch_ += static_cast<std::int64_t>(kLine / bytes);
  buffer_ = builder.buffer(static_cast<std::size_t>(products_ * pitch_) * bytes);
  builder.touch(buffer_);
}

TileMatrices BlockMatrices::matrices() const { return {buffer_->data, channels_, pitch_, type_}; }

memory::desc BlockMatrices::desc(std::int64_t tiles, std::int64_t channels) const {
  return {{products_, tiles, channels}, type_, memory::dims{pitch_, channels_, 1}};
}

memory::desc BlockMatrices::transposed(std::int64_t tiles, std::int64_t channels) const {
  return {{products_, channels, tiles}, type_, memory::dims{pitch_, 1, channels_}};
}

void* BlockMatrices::from(std::int64_t c) const {
  return buffer_->data + static_cast<std::size_t>(c) * memory::data_type_size(type_);
}

TileProduct::TileProduct(Builder& builder, const dnnl::matmul::primitive_desc& description,
                         const memory& a, const memory& b, const memory& product)
    : code_(description.impl_info_str()),
      primitive_(description),
      arguments_{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, product}} {
  const auto scratchpad = description.scratchpad_desc();
  if (scratchpad.get_size() == 0) return;
  arguments_[DNNL_ARG_SCRATCHPAD] =
      builder.memory(scratchpad, builder.buffer(scratchpad.get_size()));
}

void TileProduct::run(dnnl::stream& stream, void* a, void* b) {
  arguments_.at(DNNL_ARG_SRC).set_data_handle(a);
  arguments_.at(DNNL_ARG_WEIGHTS).set_data_handle(b);
  run(stream);
}

}  // namespace yoke::compiled

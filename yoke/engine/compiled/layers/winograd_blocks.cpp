#include "yoke/engine/compiled/layers/winograd_blocks.h"

#include <algorithm>

namespace yoke::compiled {

using dnnl::memory;

WinogradKernel winograd_kernel(const memory::dims& weights) {
  return {weights[0], weights[1], weights[2]};
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

memory::desc matrix_stack(std::int64_t products, std::int64_t rows, std::int64_t columns) {
  return contiguous_desc({products, rows, columns});
}

BlockMatrices::BlockMatrices(Builder& builder, const TileBlocks& blocks, std::int64_t channels)
    : products_(winograd_products(blocks.grid.taps)),
      channels_(channels),
      pitch_(blocks.size * channels) {
  constexpr std::int64_t kLine = 16;
  if (!blocks.dense) pitch_ += kLine;
  buffer_ = builder.buffer(static_cast<std::size_t>(products_ * pitch_) * sizeof(float));
  builder.touch(buffer_);
}

TileMatrices BlockMatrices::matrices() const {
  return {reinterpret_cast<float*>(buffer_->data), channels_, pitch_};
}

memory::desc BlockMatrices::desc(std::int64_t tiles) const {
  return {
      {products_, tiles, channels_}, memory::data_type::f32, memory::dims{pitch_, channels_, 1}};
}

memory::desc BlockMatrices::transposed(std::int64_t tiles) const {
  return {
      {products_, channels_, tiles}, memory::data_type::f32, memory::dims{pitch_, 1, channels_}};
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

}  // namespace yoke::compiled

// yoke/engine/compiled/kernels/winograd.h: convolutions with a quarter of the products of 3x3, or a
// sixth of 5x5 (Winograd 1980; Lavin and Gray 2016, F(4x4, 3x3) and F(4x4, 5x5)).
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

struct BFloat16;

/// Tensors have a multiple of so many channels, blocked by as many or channels-last, or any number,
/// blocked and filled up with zeros; their numbers are fp32 or bf16.
inline constexpr std::int64_t kWinogradChannels = 16;

/// So many and those that they are filled up with.
constexpr std::int64_t filled_channels(std::int64_t channels) {
  return (channels + kWinogradChannels - 1) / kWinogradChannels * kWinogradChannels;
}

/// Images cut into tiles of 4x4 pixels, counted from left to right, then down, then image by image.
/// Those at the right and lower border may reach over it.
struct WinogradTiles {
  std::int64_t height, width;  ///< Of an image, in pixels.
  std::int64_t taps;           ///< The side of the kernel: 3 or 5.
  bool turned = false;         ///< Images are read and written turned by 180 degrees.

  static constexpr std::int64_t kPixels = 4;
  std::int64_t down() const { return (height + kPixels - 1) / kPixels; }
  std::int64_t across() const { return (width + kPixels - 1) / kPixels; }
  std::int64_t per_image() const { return down() * across(); }
};

/// Products for each pair of channels of a tile, whose 4x4 pixels take 144 or 400 directly: 36 or
/// 64 (P).
constexpr std::int64_t winograd_products(std::int64_t taps) {
  const std::int64_t side = WinogradTiles::kPixels + taps - 1;
  return side * side;
}

/// Some tiles of a batch.
struct TileRange {
  std::int64_t first, count;
};

/// For each of the products a matrix of a row for each tile, fp32 or bf16 [P, tiles, channels].
struct TileMatrices {
  void* data;
  std::int64_t channels;
  std::int64_t pitch;  ///< Elements from one matrix to the next.
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;

  template <typename T>
  T* row(std::int64_t tile) const {
    return static_cast<T*>(data) + tile * channels;
  }
};

/// Turns what `tiles` of the result see of the convolution's input, whose first pixel is seen by
/// the result's pixel (pad_y, pad_x), into the rows of `to`.
void winograd_input(const Tensor& input, const WinogradTiles& grid, TileRange tiles,
                    std::int64_t pad_y, std::int64_t pad_x, const TileMatrices& to);

/// Turns products, fp32, into `tiles` of `result`, plus `bias` fp32 [C] unless it is null; negative
/// results times `*slope` unless that is null.
void winograd_result(const TileMatrices& products, const WinogradTiles& grid, TileRange tiles,
                     const float* bias, const float* slope, const Tensor& result);

/// Turns `tiles` of the gradient of the result into the rows of `to`; adds their pixels to `bias`
/// fp32 [C] unless it is null.
void winograd_gradient(const Tensor& gradient, const WinogradTiles& grid, TileRange tiles,
                       const TileMatrices& to, float* bias);

/// [O, I, K, K], where K is 3 or 5.
struct WinogradKernel {
  std::int64_t outputs, inputs, taps;
};

/// Adds what the products, fp32, of `tiles` of the gradient of the result are for the convolution's
/// input, seen as winograd_input() sees it, to `input`, fp32.
void winograd_spread(const TileMatrices& products, const WinogradTiles& grid, TileRange tiles,
                     std::int64_t pad_y, std::int64_t pad_x, const Tensor& input);

/// Turns weights, fp32 [O, I, K, K], into matrices to multiply by, fp32 or bf16 [P, I, O], where I
/// is filled up with zeros. Transposed they are those for winograd_spread(), and for the gradient
/// of the input where images are turned by 180 degrees in place of the kernel.
void winograd_weights(const float* weights, const WinogradKernel& kernel, float* to);
void winograd_weights(const float* weights, const WinogradKernel& kernel, BFloat16* to);

/// The transpose of winograd_weights(), [P, O, I].
void winograd_transposed_weights(const float* weights, const WinogradKernel& kernel, float* to);

/// Turns sums of products over tiles, fp32 [P, I, O], into the gradient of weights, [O, I, K, K],
/// of which they are a part: each output has `row` inputs there, and `kernel` those or, filled up,
/// more.
void winograd_weight_gradient(const float* sums, const WinogradKernel& kernel, std::int64_t row,
                              float* weights);

}  // namespace yoke::compiled

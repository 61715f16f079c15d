// yoke/engine/compiled/kernels/winograd_narrow.h: convolutions of images of one or three channels
// by Winograd's tiles: products so few that they are made where they are needed, in registers.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/kernels/winograd.h"
#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// What the tiles of a convolution's result see of its input, transformed, sixteen tiles beside one
/// another: fp32 [tiles / 16, P, C, 16].
struct NarrowTiles {
  WinogradTiles grid;
  std::int64_t channels;  ///< 1 or 3.
  float* data;

  std::int64_t floats_of_tile() const { return winograd_products(grid.taps) * channels; }
  std::int64_t floats(std::int64_t images) const {
    const std::int64_t tiles = images * grid.per_image() + kWinogradChannels - 1;
    return tiles / kWinogradChannels * kWinogradChannels * floats_of_tile();
  }
  /// Of the images in a frame of zeros.
  std::int64_t frame_floats(std::int64_t images) const;
};

/// Turns `input`, Format::kPlain, whose first pixel is seen by the result's pixel (pad_y, pad_x),
/// into tiles, by way of `frames`.
void winograd_narrow_input(const Tensor& input, std::int64_t pad_y, std::int64_t pad_x,
                           float* frames, const NarrowTiles& to);

/// Convolves what is `seen` by `weights` of winograd_blocked_weights(), plus `bias` fp32 [O] unless
/// it is null; negative results times `*slope` unless that is null.
void winograd_narrow_result(const NarrowTiles& seen, const float* weights, const float* bias,
                            const float* slope, const Tensor& result);

/// Adds products of what is `seen` and of the tiles of the result's `gradient` to `sums`, for
/// winograd_blocked_weight_gradient(); its pixels to `bias` fp32 [O] unless it is null.
void winograd_narrow_gradient(const NarrowTiles& seen, const Tensor& gradient, float* sums,
                              float* bias);

/// Turns weights, fp32 [O, C, K, K], into fp32 [O / 16, P, C, 16].
void winograd_blocked_weights(const float* weights, const WinogradKernel& kernel, float* to);

/// Turns sums, fp32 [O / 16, P, C, 16], into the gradient of weights, [O, C, K, K].
void winograd_blocked_weight_gradient(const float* sums, const WinogradKernel& kernel,
                                      float* weights);

}  // namespace yoke::compiled

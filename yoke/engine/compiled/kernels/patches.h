// yoke/engine/compiled/kernels/patches.h: the pixels under a convolution's windows as a matrix.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// Which pixels a convolution sees.
struct PatchGeometry {
  ImageShape image;                            ///< Of the input.
  std::int64_t out_height = 0, out_width = 0;  ///< Windows each way.
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_y = 1, stride_x = 1;
  std::int64_t pad_y = 0, pad_x = 0;
  std::int64_t dilation_y = 1, dilation_x = 1;

  std::int64_t taps() const { return image.channels * kernel_height * kernel_width; }
  std::int64_t rows() const { return taps() + 1; }
  std::int64_t windows() const { return out_height * out_width; }
};

/// Bytes that gather_patches() may write.
std::size_t patch_bytes(const PatchGeometry& geometry, std::int64_t images);

/// `patches` bf16 [taps + 1, N * windows] from `input` bf16 [N, C, H, W], contiguous: row (c, y, x)
/// has that pixel of every window, 0 outside of the image (im2col of Chellapilla et al. 2006); the
/// last row is 1.
void gather_patches(const std::uint16_t* input, std::int64_t images, const PatchGeometry& geometry,
                    std::uint16_t* patches);

}  // namespace yoke::compiled

// yoke/engine/compiled/kernels/dropout.h: which elements dropout keeps.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/memory/tensor.h"

namespace yoke::compiled {

/// Whose random numbers: they depend on this and on the element's place in the image alone, not on
/// the format.
struct DropoutKey {
  std::uint64_t stream = 0;  ///< Of seed and step.
  std::uint32_t layer = 0;
  std::uint32_t image = 0;  ///< Index in the step's batch.
};

/// How an image lies: [channels / block][area][block].
struct ImageLayout {
  std::int64_t channels, area, block;

  /// With the padding of the last block.
  std::int64_t elements() const { return (channels + block - 1) / block * area * block; }
};

/// Sets `keep`, in the order of `layout`, to 1 with probability 1 - `probability`, else to 0. Draws
/// by Philox4x32-10 (Salmon et al. 2011): pixel p of channel c is word p % 4 of counter
/// {c * ceil(area / 4) + p / 4, image, layer, 0}.
void draw_kept(const DropoutKey& key, double probability, const ImageLayout& layout,
               std::uint8_t* keep);

/// result = input * scale where `keep` is 1, else 0; element by element. `result` may be `input`.
void apply_dropout(const Tensor& input, const std::uint8_t* keep, float scale,
                   const Tensor& result);

}  // namespace yoke::compiled

// yoke/engine/compiled/kernels/dropout.h: which elements dropout keeps.
#pragma once
#include <cstdint>

#include "yoke/engine/compiled/tensor.h"

namespace yoke::compiled {

/// Whose random numbers: they depend on this and the element's index alone.
struct DropoutKey {
  std::uint64_t stream = 0;  ///< Of seed, rank and step.
  std::uint32_t layer = 0;
  std::uint32_t image = 0;  ///< Index in the rank's batch.
};

/// Sets `keep[i]`, of `count` rounded up to 64, to 1 with probability 1 - `probability`, else to 0.
/// Philox4x32-10 (Salmon et al. 2011) of counter {i / 4, image, layer, 0}, word i % 4.
void draw_kept(const DropoutKey& key, double probability, std::int64_t count, std::uint8_t* keep);

/// result = input * scale where kept, else 0. `keep` has `stride` bytes per image, in the order
/// [C, H, W], or [C] where whole channels are dropped. `result` may be `input`.
void apply_dropout(const Tensor& input, const std::uint8_t* keep, std::int64_t stride,
                   bool channels, float scale, const Tensor& result);

}  // namespace yoke::compiled

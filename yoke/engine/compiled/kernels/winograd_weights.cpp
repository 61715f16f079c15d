// Weights as Winograd's products want them, and their gradients.
#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/winograd.h"
#include "yoke/engine/compiled/kernels/winograd_narrow.h"
#include "yoke/engine/compiled/kernels/winograd_transforms.h"

namespace yoke::compiled {
namespace {

/// Sixteen kernels, `step` floats apart, or fewer and zeros.
template <int kTaps>
YOKE_INLINE void load_kernels(const float* from, std::int64_t step, std::int64_t count,
                              Floats (&kernels)[kTaps][kTaps]) {
  for (std::int64_t tap = 0; tap < kTaps * kTaps; ++tap) {
    Floats lanes{};
    if (count >= kLanes) {
      for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = from[i * step + tap];
    } else {
      for (std::int64_t i = 0; i < count; ++i) lanes[i] = from[i * step + tap];
    }
    kernels[tap / kTaps][tap % kTaps] = lanes;
  }
}

/// Some kernels, transformed, until they are written, matrix after matrix: those lie so far apart
/// that they share lines of the cache.
template <typename F, typename T>
struct Staged {
  static constexpr std::int64_t kMost = 64;
  static constexpr int kProducts = F::kSide * F::kSide;

  /// G g G' of sixteen, from the `at`-th on.
  YOKE_INLINE void transform(const Floats (&kernels)[F::kTaps][F::kTaps], std::int64_t at) {
    winograd::in_both_dimensions<F::kTaps, F::kSide, F::weights>(
        winograd::kWhole, [&](int y, int x) YOKE_INLINED { return kernels[y][x]; },
        [&](int y, int x, Floats lanes)
            YOKE_INLINED { store(lanes, numbers[y * F::kSide + x] + at); });
  }

  YOKE_INLINE void write(std::int64_t count, T* to, std::int64_t pitch) const {
    for (int product = 0; product < kProducts; ++product) {
      for (std::int64_t at = 0; at < count; at += kLanes) {
        std::memcpy(to + product * pitch + at, numbers[product] + at, kLanes * sizeof(T));
      }
    }
  }

  alignas(64) T numbers[kProducts][kMost];
};

/// G' s G
template <typename F>
YOKE_INLINE void transform_back(const float* from, std::int64_t pitch,
                                Floats (&kernels)[F::kTaps][F::kTaps]) {
  winograd::in_both_dimensions<F::kSide, F::kTaps, F::weight_gradient>(
      winograd::kWhole,
      [&](int y, int x) YOKE_INLINED { return load(from + (y * F::kSide + x) * pitch); },
      [&](int y, int x, Floats lanes) YOKE_INLINED { kernels[y][x] = lanes; });
}

/// [O / together, P, I, together], where `together` is a multiple of sixteen.
struct Blocks {
  std::int64_t inputs, products, together;

  std::int64_t at(std::int64_t o, std::int64_t i) const {
    return o / together * products * pitch() + i * together + o % together;
  }
  std::int64_t pitch() const { return inputs * together; }
};

/// Of matrices, filled up.
Blocks whole(const WinogradKernel& kernel) {
  return {filled_channels(kernel.inputs), winograd_products(kernel.taps), kernel.outputs};
}

template <typename F, typename T>
YOKE_INLINE void forward_weights(F, const float* weights, const WinogradKernel& kernel,
                                 const Blocks& blocks, T* to) {
  const auto [outputs, inputs, taps] = kernel;
  Staged<F, T> staged;
  const std::int64_t most = std::min(staged.kMost, blocks.together);
  for (std::int64_t o = 0; o < outputs; o += most) {
    const std::int64_t count = std::min(most, outputs - o);
    for (std::int64_t i = 0; i < inputs; ++i) {
      for (std::int64_t at = 0; at < count; at += kLanes) {
        Floats kernels[F::kTaps][F::kTaps];
        load_kernels(weights + ((o + at) * inputs + i) * taps * taps, inputs * taps * taps, kLanes,
                     kernels);
        staged.transform(kernels, at);
      }
      staged.write(count, to + blocks.at(o, i), blocks.pitch());
    }
    if (inputs == blocks.inputs) continue;
    staged = {};
    for (std::int64_t i = inputs; i < blocks.inputs; ++i) {
      staged.write(count, to + blocks.at(o, i), blocks.pitch());
    }
  }
}

template <typename F>
YOKE_INLINE void transposed_weights(F, const float* weights, const WinogradKernel& kernel,
                                    float* to) {
  const auto [outputs, inputs, taps] = kernel;
  const std::int64_t filled = filled_channels(inputs);
  Staged<F, float> staged;
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < filled; i += staged.kMost) {
      const std::int64_t count = std::min(staged.kMost, filled - i);
      for (std::int64_t at = 0; at < count; at += kLanes) {
        Floats kernels[F::kTaps][F::kTaps];
        load_kernels(weights + (o * inputs + i + at) * taps * taps, taps * taps, inputs - i - at,
                     kernels);
        staged.transform(kernels, at);
      }
      staged.write(count, to + o * filled + i, filled * outputs);
    }
  }
}

template <typename F>
YOKE_INLINE void weight_gradient(F, const float* sums, const WinogradKernel& kernel,
                                 std::int64_t together, std::int64_t row, float* weights) {
  const auto [outputs, inputs, taps] = kernel;
  const Blocks blocks{inputs, F::kSide * F::kSide, together};
  for (std::int64_t o = 0; o < outputs; o += kLanes) {
    for (std::int64_t i = 0; i < std::min(inputs, row); ++i) {
      Floats kernels[F::kTaps][F::kTaps];
      transform_back<F>(sums + blocks.at(o, i), blocks.pitch(), kernels);
      float* const to = weights + (o * row + i) * taps * taps;
      for (std::int64_t tap = 0; tap < taps * taps; ++tap) {
        for (std::int64_t j = 0; j < kLanes; ++j) {
          to[j * row * taps * taps + tap] = kernels[tap / taps][tap % taps][j];
        }
      }
    }
  }
}

YOKE_VECTORISE void forward_blocks(const float* weights, const WinogradKernel& kernel,
                                   const Blocks& blocks, float* to) {
  winograd::with_transforms(
      kernel.taps, [&](auto f) YOKE_INLINED { forward_weights(f, weights, kernel, blocks, to); });
}

YOKE_VECTORISE void forward_blocks(const float* weights, const WinogradKernel& kernel,
                                   const Blocks& blocks, BFloat16* to) {
  winograd::with_transforms(
      kernel.taps, [&](auto f) YOKE_INLINED { forward_weights(f, weights, kernel, blocks, to); });
}

YOKE_VECTORISE void transposed_matrices(const float* weights, const WinogradKernel& kernel,
                                        float* to) {
  winograd::with_transforms(
      kernel.taps, [&](auto f) YOKE_INLINED { transposed_weights(f, weights, kernel, to); });
}

YOKE_VECTORISE void gradient_of_blocks(const float* sums, const WinogradKernel& kernel,
                                       std::int64_t together, std::int64_t row, float* weights) {
  winograd::with_transforms(kernel.taps, [&](auto f) YOKE_INLINED {
    weight_gradient(f, sums, kernel, together, row, weights);
  });
}

}  // namespace

void winograd_weights(const float* weights, const WinogradKernel& kernel, float* to) {
  forward_blocks(weights, kernel, whole(kernel), to);
}
void winograd_weights(const float* weights, const WinogradKernel& kernel, BFloat16* to) {
  forward_blocks(weights, kernel, whole(kernel), to);
}

void winograd_transposed_weights(const float* weights, const WinogradKernel& kernel, float* to) {
  transposed_matrices(weights, kernel, to);
}

void winograd_weight_gradient(const float* sums, const WinogradKernel& kernel, std::int64_t row,
                              float* weights) {
  gradient_of_blocks(sums, kernel, kernel.outputs, row, weights);
}

void winograd_blocked_weights(const float* weights, const WinogradKernel& kernel, float* to) {
  const Blocks blocks{kernel.inputs, winograd_products(kernel.taps), kWinogradChannels};
  forward_blocks(weights, kernel, blocks, to);
}

void winograd_blocked_weight_gradient(const float* sums, const WinogradKernel& kernel,
                                      float* weights) {
  gradient_of_blocks(sums, kernel, kWinogradChannels, kernel.inputs, weights);
}

}  // namespace yoke::compiled

// Weights as Winograd's products want them, and their gradients.
#include <algorithm>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"
#include "yoke/engine/compiled/kernels/winograd.h"
#include "yoke/engine/compiled/kernels/winograd_transforms.h"

namespace yoke::compiled {
namespace {

constexpr std::int64_t kTaps = 9;

/// Sixteen kernels of 3x3, `step` floats apart; turned by 180 degrees or not.
YOKE_INLINE void load_kernels(const float* from, std::int64_t step, bool turned,
                              Floats (&kernels)[3][3]) {
  for (std::int64_t tap = 0; tap < kTaps; ++tap) {
    Floats lanes;
    for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = from[i * step + tap];
    const std::int64_t to = turned ? kTaps - 1 - tap : tap;
    kernels[to / 3][to % 3] = lanes;
  }
}

/// G g G'
YOKE_INLINE void transform(const Floats (&kernels)[3][3], float* to, std::int64_t pitch) {
  winograd::in_both_dimensions<3, 6, winograd::weights>(
      [&](int y, int x) YOKE_INLINED { return kernels[y][x]; },
      [&](int y, int x, Floats lanes) YOKE_INLINED { store(lanes, to + (y * 6 + x) * pitch); });
}

/// G' s G
YOKE_INLINE void transform_back(const float* from, std::int64_t pitch, Floats (&kernels)[3][3]) {
  winograd::in_both_dimensions<6, 3, winograd::weight_gradient>(
      [&](int y, int x) YOKE_INLINED { return load(from + (y * 6 + x) * pitch); },
      [&](int y, int x, Floats lanes) YOKE_INLINED { kernels[y][x] = lanes; });
}

YOKE_VECTORISE void forward_weights(const float* weights, std::int64_t outputs, std::int64_t inputs,
                                    float* to) {
  for (std::int64_t o = 0; o < outputs; o += kLanes) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      Floats kernels[3][3];
      load_kernels(weights + (o * inputs + i) * kTaps, inputs * kTaps, false, kernels);
      transform(kernels, to + i * outputs + o, inputs * outputs);
    }
  }
}

YOKE_VECTORISE void turned_weights(const float* weights, std::int64_t outputs, std::int64_t inputs,
                                   float* to) {
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (std::int64_t i = 0; i < inputs; i += kLanes) {
      Floats kernels[3][3];
      load_kernels(weights + (o * inputs + i) * kTaps, kTaps, true, kernels);
      transform(kernels, to + o * inputs + i, inputs * outputs);
    }
  }
}

YOKE_VECTORISE void weight_gradient(const float* sums, std::int64_t outputs, std::int64_t inputs,
                                    float* weights) {
  for (std::int64_t o = 0; o < outputs; o += kLanes) {
    for (std::int64_t i = 0; i < inputs; ++i) {
      Floats kernels[3][3];
      transform_back(sums + i * outputs + o, inputs * outputs, kernels);
      float* const to = weights + (o * inputs + i) * kTaps;
      for (std::int64_t tap = 0; tap < kTaps; ++tap) {
        for (std::int64_t j = 0; j < kLanes; ++j) {
          to[j * inputs * kTaps + tap] = kernels[tap / 3][tap % 3][j];
        }
      }
    }
  }
}

}  // namespace

void winograd_weights(const float* weights, std::int64_t outputs, std::int64_t inputs, float* to) {
  forward_weights(weights, outputs, inputs, to);
}

void winograd_turned_weights(const float* weights, std::int64_t outputs, std::int64_t inputs,
                             float* to) {
  turned_weights(weights, outputs, inputs, to);
}

void winograd_weight_gradient(const float* sums, std::int64_t outputs, std::int64_t inputs,
                              float* weights) {
  weight_gradient(sums, outputs, inputs, weights);
}

}  // namespace yoke::compiled

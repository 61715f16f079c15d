// yoke/engine/precision.h: number formats of a training step.
#pragma once
#include <torch/types.h>

#include <string>

#include "yoke/core/enum_words.h"

namespace yoke {

/// What activations and products are computed in; sums, losses and the parameters that an optimizer
/// moves are always fp32.
enum class Precision {
  kFp32,
  kBf16,
  kO1,  ///< 16 bits in the operators where autocast holds them for safe: fp16, on processors bf16.
  kO2,  ///< fp16 everywhere but in batch norm, on a copy of the parameters.
};

template <>
struct EnumWords<Precision> {
  static constexpr std::string_view kWords[] = {"fp32", "bf16", "o1", "o2"};
};

/// Whether gradients on `device` are of fp16 numbers, and losses are to be scaled for them (see
/// yoke/optim/loss_scaler.h).
bool scales_loss(Precision precision, torch::Device device);

/// Why this processor cannot compute in `precision`; empty where it can.
std::string why_not(Precision precision);

}  // namespace yoke

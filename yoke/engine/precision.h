// yoke/engine/precision.h: number formats of a training step.
#pragma once
#include <string>

namespace yoke {

/// What activations and products are computed in; parameters, sums and losses are always fp32.
enum class Precision { kFp32, kBf16 };

/// `fp32`, `bf16`. @throws UsageError on another.
Precision parse_precision(const std::string& name);

/// Why this processor cannot compute in `precision`; empty where it can.
std::string why_not(Precision precision);

}  // namespace yoke

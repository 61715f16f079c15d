// yoke/engine/eager/gpu_settings.h: which of its algorithms LibTorch takes on GPUs.
#pragma once
#include <string>

#include "yoke/core/enum_words.h"

namespace yoke {

/// Which fp32 products GPUs compute in TF32: fp32's range with 10 bits of fraction, in tensor
/// cores.
enum class Tf32 {
  kConvolutions,  ///< As PyTorch does.
  kEverywhere,
  kNowhere,
};

template <>
struct EnumWords<Tf32> {
  static constexpr std::string_view kWords[] = {"auto", "on", "off"};
};

/// What LibTorch is told about GPUs.
struct GpuSettings {
  Tf32 tf32 = Tf32::kConvolutions;
  /// Only algorithms whose results never vary; else cuDNN tries which is fastest, once per shape.
  bool deterministic = false;
};

/// Sets LibTorch, for the whole process; results on processors do not depend on it.
void apply(const GpuSettings& settings);

/// How LibTorch is set: `tf32`, `tf32 in convolutions`, `tf32 in matrix products` or empty.
std::string describe_tf32();

}  // namespace yoke

// yoke/engine/eager/gpu_settings.h: which of its algorithms LibTorch takes on GPUs.
#pragma once
#include <cstdint>
#include <optional>
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
  bool deterministic = false;  ///< Only algorithms whose results never vary.
  bool trials = true;  ///< Else cuDNN tries which is fastest, once per shape, if this says so.
};

/// Whether trials, which take seconds, can be repaid by what they save in so many steps.
bool steps_repay_trials(std::int64_t steps);

/// Sets LibTorch, for the whole process; results on processors do not depend on it.
void apply(const GpuSettings& settings);

/// Has cuDNN try algorithms for batches of the usual size alone. For the layers of a network that
/// takes seconds, which the last, smaller batch of an epoch never gives back.
class AlgorithmTrials {
 public:
  /// Call it before a batch of so many images is computed. At the first one LibTorch is set to try,
  /// or not.
  void prepare(std::int64_t images);

 private:
  std::optional<bool> tries_;
  std::int64_t most_ = 0;  // images of a batch so far
};

/// How LibTorch is set: `tf32`, `tf32 in convolutions`, `tf32 in matrix products` or empty.
std::string describe_tf32();

}  // namespace yoke

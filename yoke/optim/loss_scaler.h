// yoke/optim/loss_scaler.h: what losses are multiplied by where gradients are fp16 numbers, so that
// small ones do not become 0 nor large ones infinite.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// How a loss scale moves.
struct LossScalerOptions {
  double initial = 65536;
  std::int64_t growth_interval = 2000;  ///< Good steps until it doubles; at least 1.
};

/// The dynamic loss scale (Micikevicius et al. 2018, "Mixed Precision Training", section 3.2; rule
/// and numbers are those of NVIDIA's Apex): halved when a gradient is not finite, doubled after so
/// many steps in which all were, up to 2^24.
class LossScaler {
 public:
  explicit LossScaler(const LossScalerOptions& options = {});
  LossScaler(const LossScaler&) = delete;
  LossScaler& operator=(const LossScaler&) = delete;

  /// What the loss of the next gradient is multiplied by.
  double scale() const { return scale_.item<double>(); }

  /// Hears of each step whether its gradient was finite. @throws Error when the scale would fall
  /// below 2^-24: such a gradient is finite at no scale.
  void update(bool finite);

  /// Steps with a gradient that was not finite, in this process.
  std::int64_t skipped() const { return skipped_; }

  /// What a checkpoint reads, and a resume writes, in place: the scale, fp64 [], and the good steps
  /// since it moved, int64 [].
  NamedTensors state() const;

  /// A line for people about each step skipped since the last call.
  std::vector<std::string> take_events();

 private:
  const std::int64_t growth_interval_;
  const torch::Tensor scale_;  // fp64 []
  const torch::Tensor good_;   // int64 []
  std::int64_t skipped_ = 0;
  std::vector<std::string> events_;
};

/// `saved`, state of a checkpoint, for a run that scales losses by `scaler` or, where that is null,
/// does not: without a scale, the run keeps its own; one too many is left out.
NamedTensors with_scale_of(NamedTensors saved, const LossScaler* scaler);

}  // namespace yoke

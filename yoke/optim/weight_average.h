// yoke/optim/weight_average.h: a mean of the weights that a training passes through, beside them.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/core/named_tensors.h"
#include "yoke/core/plugins/option_table.h"

namespace yoke {

/// Which weights count, and for how much: an exponential moving average (Polyak and Juditsky 1992,
/// "Acceleration of Stochastic Approximation by Averaging"), or, where they count alike, stochastic
/// weight averaging (Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima").
struct WeightAverageOptions {
  static constexpr double kDecay = 0.999;
  std::optional<double> decay = {};  ///< In [0, 1); kDecay.
  bool warmup = true;                ///< Less decay at first, see WeightAverage::share().
  bool equal = false;                ///< In place of a decay.
  std::int64_t every = 16;           ///< Steps; at least 1.
  double start = 0;                  ///< In [0, 1], of the run's steps.
};

/// What `--ema` takes.
OptionTable<WeightAverageOptions> weight_average_options();

/// @throws UsageError on an unknown option, a value out of range, and a decay of equal weights.
WeightAverageOptions parse_weight_average(std::string_view text);

/// The mean of a model's parameters and buffers over some of its steps: one pass over the flat
/// vector each time. Buffers of whole numbers are those of the latest.
class WeightAverage {
 public:
  /// `total_steps` are the run's. `parameters` must outlive it.
  WeightAverage(const WeightAverageOptions& options, FlatParameters& parameters,
                std::vector<torch::Tensor> buffers, std::int64_t total_steps);

  /// After how many steps the weights count first; may be more than the run has.
  std::int64_t first_step() const;

  /// Whether the weights after `step` steps count.
  bool due(std::int64_t step) const;

  /// For how much weights count that come after `count` others, in (0, 1]: 1 for the first; then
  /// 1 - decay, with warm-up 1 - min(decay, (1 + count) / (10 + count)) (the rule of TensorFlow's
  /// ExponentialMovingAverage); 1 / (count + 1) where all count alike.
  double share(std::int64_t count) const;

  /// Takes the model's weights into the mean.
  void add();

  /// Weights taken so far.
  std::int64_t count() const;

  /// Exchanges the model's weights and their mean.
  void swap();

  /// What stands beside the model's weights, and count(), as tensors that a checkpoint reads, and a
  /// resume writes, in place.
  NamedTensors state() const;

  /// When the first weights count, and how all do, in words.
  std::string describe() const;

 private:
  const WeightAverageOptions options_;
  FlatParameters& parameters_;
  const std::vector<torch::Tensor> buffers_;
  const std::int64_t total_steps_;
  torch::Tensor values_;                      // fp32 [P]: the mean; the weights after swap()
  std::vector<torch::Tensor> buffer_values_;  // as buffers_
  torch::Tensor count_;                       // int64 [1]
};

}  // namespace yoke

// yoke/train/meter.h: sums over the images of several steps.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "yoke/comm/communicator.h"

namespace yoke {

/// Adds up loss, hits and times; a checkpoint holds it, so that a report that spans a resume is the
/// same as without. Values on a GPU are fetched only when a sum is asked for.
class Meter {
 public:
  /// `loss` fp32 [], the mean over the batch; `ranks` int64 [N] of ranks_of_target().
  void add(const torch::Tensor& loss, const torch::Tensor& ranks);

  /// Steps that the run has taken, with this rank or without.
  void add_steps(std::int64_t steps) { steps_ += steps; }

  /// Seconds of the step, and those of it spent waiting.
  void add_times(double step_seconds, double data_wait_seconds, double communication_seconds);

  /// Moves what all ranks have added up to rank 0, but for the times, which are each rank's own.
  void gather(Communicator& communicator);

  std::int64_t images() const { return images_; }
  std::int64_t steps() const { return steps_; }
  double step_seconds() const { return step_seconds_; }
  double data_wait_seconds() const { return data_wait_seconds_; }
  double communication_seconds() const { return communication_seconds_; }
  double loss();  ///< Mean over images; 0 without any.
  double top1();  ///< Fraction of images.
  double top5();  ///< Fraction of images.

  nlohmann::json to_json();
  static Meter from_json(const nlohmann::json& json);

 private:
  struct Pending {
    torch::Tensor loss;
    torch::Tensor ranks;
  };
  void fold();
  double mean(double sum) const { return images_ == 0 ? 0 : sum / static_cast<double>(images_); }

  std::vector<Pending> pending_;
  std::int64_t images_ = 0;
  std::int64_t steps_ = 0;
  double loss_sum_ = 0;
  std::int64_t top1_ = 0;
  std::int64_t top5_ = 0;
  double step_seconds_ = 0;
  double data_wait_seconds_ = 0;
  double communication_seconds_ = 0;
};

}  // namespace yoke

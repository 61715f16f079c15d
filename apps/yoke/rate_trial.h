// apps/yoke/rate_trial.h: a training at the rates of a learning-rate range test.
#pragma once
#include <cstdint>
#include <memory>

#include "yoke/comm/communicator.h"
#include "yoke/study/rate_test.h"
#include "yoke/train/config/config.h"
#include "yoke/train/trainer.h"
#include "yoke/train/workload.h"

namespace yoke {

/// Takes the steps of a training, by this process alone, and leaves nothing behind.
class RateTrial {
 public:
  /// Trains as `given` says, but at the rates of `range`. Sizes the thread pools.
  /// @throws UsageError on impossible settings, and for an optimizer that searches along a line.
  RateTrial(const TrainConfig& given, const study::RateRange& range);

  /// Takes a step; returns the loss before it: any number, or none.
  double next_loss();

  Workload& workload() { return workload_; }
  const Trainer& trainer() const { return trainer_; }

 private:
  const TrainConfig config_;
  Workload workload_;
  const std::unique_ptr<Communicator> single_;
  Trainer trainer_;
};

}  // namespace yoke

// yoke/forecast/prediction.h: a training on a cluster: time, bytes, memory, failures.
#pragma once
#include <cstdint>

#include "yoke/forecast/calibration.h"
#include "yoke/forecast/case.h"
#include "yoke/forecast/cluster.h"
#include "yoke/forecast/communicator_plan.h"
#include "yoke/forecast/strategy_plan.h"

namespace yoke::forecast {

/// The training: its calibration has the rest.
struct Job {
  std::int64_t batch_size = 256;  ///< Over all ranks, or of each.
  bool per_rank = false;
  StrategyPlan strategy = {};
  CommunicatorPlan comm = {};
  bool splits = true;  ///< Whether its optimizer moves a part of the parameters by itself.
};

/// Where the seconds of a step go, of the rank that the others wait for.
struct StepParts {
  double compute = 0;
  double data_wait = 0;
  double stragglers = 0;  ///< Waiting for the slowest of several.
  double link = 0;        ///< Exchanging, what the backward pass hides left out.

  double total() const { return compute + data_wait + stragglers + link; }
};

/// What is predicted, in one case.
struct Outcome {
  StepParts step = {};
  double epoch_seconds = 0;        ///< Steps alone.
  double images_per_second = 0;    ///< The same as a rate.
  double failure_overhead = 0;     ///< Of epoch_seconds: checkpoints, work done twice, restarts.
  double checkpoint_interval = 0;  ///< Seconds; infinite where hosts never fail.

  /// With failures.
  double total_epoch_seconds() const { return epoch_seconds * (1 + failure_overhead); }
};

/// A training on so many hosts.
struct Prediction {
  std::int64_t hosts = 1, ranks = 1;
  std::int64_t batch_size = 0;  ///< Over all ranks.
  double images_per_rank = 0;   ///< And step, the largest share.
  double bytes_per_step = 0;    ///< Over the link of a host.
  double memory_per_host_bytes = 0;
  Outcome low = {}, typical = {}, high = {};

  const Outcome& operator[](Case which) const {
    return which == Case::kLow ? low : which == Case::kTypical ? typical : high;
  }
};

/// Images of a step, over all ranks.
std::int64_t global_batch_size(const Job& job, const Cluster& cluster);

/// @throws UsageError where the strategy or communicator of `job` cannot run on `cluster`, or its
/// optimizer on servers.
void check(const Job& job, const Cluster& cluster);

/// What `job` takes on `cluster`. @throws UsageError as check() does, where a step has more images
/// than there are, and where something was not calibrated.
Prediction predict(const Calibration& calibration, const Job& job, const Cluster& cluster);

}  // namespace yoke::forecast

// yoke/forecast/exchange.h: what ranks exchange in a step, strategy by strategy.
#pragma once
#include <cstdint>

#include "yoke/forecast/calibration.h"
#include "yoke/forecast/cluster.h"
#include "yoke/forecast/network.h"
#include "yoke/forecast/rank_step.h"
#include "yoke/forecast/strategy_plan.h"

namespace yoke::forecast {

/// The exchange of one step, on average over steps.
struct Exchange {
  double seconds = 0;  ///< That it adds to a rank's step: what the backward pass hides left out.
  double floor_seconds = 0;   ///< No step is shorter: what servers need.
  double bytes_per_host = 0;  ///< Over each host's link; of servers, the one with most.
};

/// Ranks that have images: all, but those that serve alone. @throws UsageError where none is left,
/// or for hogwild on several hosts.
std::int64_t count_workers(const StrategyPlan& plan, const Cluster& cluster);

/// Of all-reduce: 24 bytes of signals from the beginning on, then buckets while the backward pass
/// goes on, then 4 bytes of loss; with state in parts, a reduce-scatter and an all-gather after it.
/// Of averaging: one all-reduce every H steps. Of S servers for W workers with n bytes of
/// parameters: each worker sends and takes n, and a server W n / S each way, through one link and
/// the cores of one rank (incast; Li et al. 2014, "Scaling Distributed Machine Learning with the
/// Parameter Server").
Exchange exchange(const StrategyPlan& plan, const Calibration& calibration, const Cluster& cluster,
                  const Network& network, const RankStep& step);

}  // namespace yoke::forecast

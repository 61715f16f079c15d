// yoke/forecast/memory.h: what a rank keeps in memory.
#pragma once
#include "yoke/forecast/calibration.h"
#include "yoke/forecast/cluster.h"
#include "yoke/forecast/strategy_plan.h"

namespace yoke::forecast {

/// Bytes of a rank with images, from `measured`, those of one that trains by itself: parameters,
/// gradients, the optimizer's state, activations, data. All-reduce with state in parts, and
/// servers, take the optimizer's state away or share it out over ranks (Rajbhandari et al. 2020,
/// "ZeRO", section 5.1); averaging adds vectors of its own; ranks that serve add, of their part,
/// parameters and a gradient, and as much again for every other worker: two vectors in all.
double rank_memory(const StrategyPlan& plan, const Calibration& calibration, const Cluster& cluster,
                   double measured);

}  // namespace yoke::forecast

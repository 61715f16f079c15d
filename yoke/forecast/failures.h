// yoke/forecast/failures.h: what failures and the checkpoints against them cost (Daly 2006, "A
// higher order estimate of the optimum checkpoint interval for restart dumps").
#pragma once

namespace yoke::forecast {

/// What decides it, in seconds.
struct FailureCosts {
  double mean_between = 0;  ///< Failures of the whole run, exponentially distributed; 0: none ever.
  double checkpoint = 0;    ///< That the run waits for one.
  double restart = 0;       ///< From a failure to the first step again.
};

/// Training between two checkpoints at which least is lost: sqrt(2 d M) (1 + sqrt(d / 2M) / 3 +
/// (d / 2M) / 9) - d, and M where d is 2M or more (Daly 2006, section 4). Infinite where nothing
/// fails.
double daly_interval(const FailureCosts& costs);

/// Time lost to checkpoints, to work done twice and to restarts, over the time of the steps alone:
/// M exp(R/M) (exp((t + d) / M) - 1) / t - 1 with `interval` t (Daly 2006, section 3).
double failure_overhead(const FailureCosts& costs, double interval);

}  // namespace yoke::forecast

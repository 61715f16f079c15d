// yoke/forecast/cluster.h: the machines that a prediction is for.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "yoke/forecast/case.h"

namespace yoke::forecast {

/// Hosts that compute more slowly than the others.
struct SlowHosts {
  std::int64_t count = 0;
  double factor = 1;  ///< Times the seconds of the others; at least 1.
};

/// Hosts like the calibrated machine, and what connects them.
struct Cluster {
  std::int64_t hosts = 1;
  int ranks_per_host = 1;
  double cores_per_host = 1;  ///< Of the calibrated machine's; may be a fraction.
  int beside = 1;             ///< Ranks that computed beside each other when it was calibrated.

  double link_bytes_per_second = 1.25e9;  ///< Of each host, in each direction.
  double link_latency_seconds = 50e-6;    ///< From one host to another.
  SlowHosts slow = {};
  double host_mean_between_failures = 0;  ///< Seconds; 0: hosts never fail.
  double restart_seconds = 0;

  std::int64_t ranks() const { return hosts * ranks_per_host; }
};

/// Ranks that take turns on a core, at least 1: in the low case shared out evenly, in the high case
/// on the core that most of them share, as when none moves during a step; typically half-way.
inline double ranks_per_core(const Cluster& cluster, Case which) {
  constexpr double kRounding = 1e-6;  // of a fraction of a core, given in decimals
  const double even = cluster.ranks_per_host / cluster.cores_per_host;
  const double most = std::ceil(even - kRounding);
  if (which == Case::kTypical) return std::max(1.0, (even + most) / 2);
  return std::max(1.0, which == Case::kHigh ? most : even);
}

}  // namespace yoke::forecast

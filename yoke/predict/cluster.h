// yoke/predict/cluster.h: the machines that a prediction is for.
#pragma once
#include <cstdint>

namespace yoke::predict {

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

}  // namespace yoke::predict

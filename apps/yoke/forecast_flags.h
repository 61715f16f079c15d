// apps/yoke/forecast_flags.h: what the command line of `yoke forecast` gives.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/yoke/given_config.h"
#include "yoke/forecast/cluster.h"

namespace yoke {

struct GivenPrediction {
  GivenConfig config;
  std::string hosts = "1,2,4,...,4096";
  int ranks_per_host = 1;
  double cores_per_host = 0;  // 0: those of the calibrated machine
  double link_gbps = 10;
  double latency_us = 50;
  std::string slow;
  double mtbf_hours = 10'000;
  double restart_seconds = 60;
  std::string calibration;
  bool calibrate = false;
  int calibrate_ranks = 0;  // 0: ranks_per_host
  double seconds = 1;
  std::string graph;
  bool json = false;
};

/// Adds the flags to `command`; `given` must outlive it.
void add_predict_flags(CLI::App& command, GivenPrediction& given);

/// `1,2,4,...,64`: numbers, ascending; `...` stands for doubling the one before until that after
/// it.
/// @throws UsageError.
std::vector<std::int64_t> parse_hosts(const std::string& text);

/// `2x1.5`: two hosts that take 1.5 times as long; empty is none. @throws UsageError.
forecast::SlowHosts parse_slow(const std::string& text);

/// Hosts of a machine with `cores` cores, as given; one of them.
forecast::Cluster cluster_of(const GivenPrediction& given, int cores);

}  // namespace yoke

// yoke/launch/flag_values.h: the values of launch flags, from text.
#pragma once
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "yoke/launch/config.h"

namespace yoke::launch {

/// A whole number in [least, most]. All of these throw UsageError with what is allowed.
int whole(const std::string& text, int least, int most = std::numeric_limits<int>::max());

/// Seconds above 0.
std::chrono::duration<double> seconds(const std::string& text);

/// `N` or `MIN:MAX`.
NodeRange parse_nodes(const std::string& text);

/// `0,2,3`.
std::vector<int> parse_ranks(const std::string& text);

/// Checks the value of --rdzv-backend, which changes nothing.
void set_backend(LaunchConfig& config, const std::string& text);

/// The value of --rdzv-conf.
void set_rendezvous_options(LaunchConfig& config, const std::string& text);

/// Sets the hosts, once.
void add_hosts(LaunchConfig& config, std::vector<HostSlots> hosts);

/// The value of --nproc-per-node.
void set_processes(LaunchConfig& config, const std::string& text);

}  // namespace yoke::launch

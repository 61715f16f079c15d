#include "apps/yoke/forecast_flags.h"

#include <fmt/format.h>

#include "apps/yoke/number_flag.h"
#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

constexpr std::int64_t kMostHosts = 1'000'000;

[[noreturn]] void refuse_hosts(const std::string& text) {
  throw UsageError(fmt::format(
      "--hosts is '{}'; allowed: whole numbers from 1 to 1000000, ascending, as in 1,2,3 or, each "
      "twice the one before, 1,2,4,...,4096",
      text));
}

void add_machines(CLI::App& command, GivenPrediction& given) {
  constexpr const char* kGroup = "The machines";
  command.add_option("--hosts", given.hosts, "Numbers of hosts to predict for")
      ->type_name("N,...")
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--ranks-per-host", given.ranks_per_host, "Ranks on each host")
      ->check(CLI::Range(1, 4096))
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option(
          "--cores-per-host", given.cores_per_host,
          "Cores of each host, like this machine's; 0 is as many as here. Fractions are for "
          "hosts that share cores")
      ->check(from_zero())
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--link-gbps", given.link_gbps, "Gbit/s of each host's link, each way")
      ->check(above_zero())
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option("--latency-us", given.latency_us,
                  "Microseconds from one host to another, without software")
      ->check(from_zero())
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option("--slow", given.slow,
                  "COUNT hosts that take FACTOR times as long to compute, e.g. 1x2.5")
      ->type_name("COUNTxFACTOR")
      ->group(kGroup);
  command
      .add_option("--mtbf-hours", given.mtbf_hours,
                  "Mean time between failures of one host; 0 is never")
      ->check(from_zero())
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option("--restart-seconds", given.restart_seconds,
                  "From a failure until the ranks train again")
      ->check(from_zero())
      ->group(kGroup)
      ->capture_default_str();
}

void add_calibration(CLI::App& command, GivenPrediction& given) {
  constexpr const char* kGroup = "Calibration and output";
  command
      .add_option("--calibration", given.calibration,
                  "File to keep the calibration in, also one of another machine (the user's cache)")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("--calibrate", given.calibrate, "Measure again, whatever was kept")
      ->group(kGroup);
  command
      .add_option("--calibrate-ranks", given.calibrate_ranks,
                  "Ranks that compute beside each other while measuring; 0 is --ranks-per-host")
      ->check(from_zero())
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--seconds", given.seconds, "For each measurement, about")
      ->check(above_zero())
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--graph", given.graph, "Also draw it, into a .svg, .png or .pdf")
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("--json", given.json, "Print one JSON object as the last line")->group(kGroup);
}

}  // namespace

void add_predict_flags(CLI::App& command, GivenPrediction& given) {
  auto flags = flags_that_are(kStepCost);
  flags.insert(flags.end(), {flag::kBatchSizePerRank, flag::kStrategy, flag::kComm});
  std::erase(flags, flag::kThreads);  // as many as --cores-per-host leaves a rank
  add_config_flags(command, given.config, flags);
  add_machines(command, given);
  add_calibration(command, given);
}

std::vector<std::int64_t> parse_hosts(const std::string& text) {
  std::vector<std::int64_t> hosts;
  bool doubles = false;
  for (const auto word : split(text, ',')) {
    if (word == "..." && !hosts.empty() && !doubles) {
      doubles = true;
      continue;
    }
    const auto count = parse_number<std::int64_t>(word, 1, kMostHosts).value_or(0);
    if (count == 0 || (!hosts.empty() && count <= hosts.back())) refuse_hosts(text);
    while (doubles && 2 * hosts.back() < count) hosts.push_back(2 * hosts.back());
    hosts.push_back(count);
    doubles = false;
  }
  if (hosts.empty() || doubles) refuse_hosts(text);
  return hosts;
}

forecast::SlowHosts parse_slow(const std::string& text) {
  if (text.empty()) return {};
  const auto words = split(text, 'x');
  const auto count = parse_number<std::int64_t>(words[0], 0, kMostHosts);
  const auto factor = words.size() == 2 ? parse_number<double>(words[1], 1) : std::nullopt;
  if (!count || !factor) {
    throw UsageError(
        fmt::format("--slow is '{}'; allowed: COUNTxFACTOR with a factor of at least 1, e.g. 1x2.5 "
                    "for one host that takes 2.5 times as long",
                    text));
  }
  return {.count = *count, .factor = *factor};
}

forecast::Cluster cluster_of(const GivenPrediction& given, int cores) {
  return {.hosts = 1,
          .ranks_per_host = given.ranks_per_host,
          .cores_per_host = given.cores_per_host > 0 ? given.cores_per_host : cores,
          .beside = given.calibrate_ranks > 0 ? given.calibrate_ranks : given.ranks_per_host,
          .link_bytes_per_second = given.link_gbps * 1e9 / 8,
          .link_latency_seconds = given.latency_us / 1e6,
          .slow = parse_slow(given.slow),
          .host_mean_between_failures = given.mtbf_hours * 3600,
          .restart_seconds = given.restart_seconds};
}

}  // namespace yoke

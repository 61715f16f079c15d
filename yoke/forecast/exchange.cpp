#include "yoke/forecast/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/error.h"
#include "yoke/forecast/collectives.h"
#include "yoke/forecast/overlap.h"

namespace yoke::forecast {
namespace {

constexpr double kElementBytes = sizeof(float);
constexpr double kSignalBytes = 3 * sizeof(double);  // of `yoke train`, summed beside each step

/// Buckets on their way during the backward pass, one after the other; `cost_of` each by its bytes.
/// `first` goes from the beginning of the step on, `last` after the gradient.
template <typename CostOf>
double overlapped(const StrategyPlan& plan, const Calibration& calibration, const RankStep& step,
                  const Cost& first, const Cost& last, CostOf cost_of) {
  std::vector<Transfer> transfers = {Transfer{.begin = 0, .seconds = first.waiting}};
  double busy = first.busy + last.busy;
  for (const auto& bucket : cut_gradient(calibration.parameters, step.layout->ready,
                                         plan.first_bucket_bytes, plan.bucket_bytes)) {
    const Cost cost = cost_of(static_cast<double>(bucket.elements) * plan.element_bytes);
    busy += cost.busy;
    transfers.push_back({bucket.ready * step.gradient, cost.waiting});
  }
  transfers.push_back({step.gradient, last.waiting});
  return busy + exposed_seconds(transfers, step.gradient);
}

Exchange all_reduce(const StrategyPlan& plan, const Calibration& calibration,
                    const Network& network, const RankStep& step) {
  const double bytes = static_cast<double>(calibration.parameter_count()) * plan.element_bytes;
  const Cost signals = network.all_reduce(kSignalBytes), loss = network.all_reduce(kElementBytes);
  if (plan.shard_state) {
    const std::vector<Transfer> before = {Transfer{.begin = 0, .seconds = signals.waiting}};
    return {.seconds = signals.busy + exposed_seconds(before, step.gradient) +
                       network.scatter_and_gather(bytes).total() + loss.total(),
            .floor_seconds = 0,
            .bytes_per_host = network.scatter_and_gather_link_bytes(bytes)};
  }
  return {.seconds = overlapped(plan, calibration, step, signals, loss,
                                [&](double part) { return network.all_reduce(part); }),
          .floor_seconds = 0,
          .bytes_per_host = network.link_bytes(bytes)};
}

Exchange averaging(const StrategyPlan& plan, const Calibration& calibration,
                   const Network& network) {
  const double bytes = static_cast<double>(calibration.parameter_count() + 1) * kElementBytes;
  return {.seconds = network.all_reduce(bytes).total() / plan.every,
          .floor_seconds = 0,
          .bytes_per_host = network.link_bytes(bytes) / plan.every};
}

/// Every rank serves a part: each sends every other its part of the gradient, and of parameters.
Exchange serving_all(const StrategyPlan& plan, const Calibration& calibration,
                     const Cluster& cluster, const Network& network, const RankStep& step) {
  const auto ranks = static_cast<double>(cluster.ranks());
  const double each = cluster.ranks_per_host;
  const double away = (ranks - each) / std::max(1.0, ranks - 1);  // of its peers, on other hosts
  const auto cost = [&](double bytes) {
    const Sent sent = ring_half(cluster.ranks(), bytes);
    return network.send(sent, each * away * sent.bytes, 0);
  };
  const double bytes = static_cast<double>(calibration.parameter_count()) * kElementBytes;
  return {.seconds = overlapped(plan, calibration, step, {}, {}, cost) + cost(bytes).total(),
          .floor_seconds = 0,
          .bytes_per_host = 2 * each * away * ring_half(cluster.ranks(), bytes).bytes};
}

/// Some ranks serve alone. In step all push at once, so that each waits for the server's link, and
/// for its cores, which copy what comes and goes.
Exchange serving_apart(const StrategyPlan& plan, const Calibration& calibration,
                       const Cluster& cluster, const Network& network, const RankStep& step) {
  const auto servers = static_cast<double>(plan.servers);
  const auto workers = static_cast<double>(count_workers(plan, cluster));
  const double incast = std::max(1.0, workers / servers);
  const double at_once = plan.in_step ? incast : 1;
  const auto cost = [&](double bytes) {
    const double sharing = std::max<double>(at_once, cluster.ranks_per_host);
    return network.send({.messages = servers, .bytes = bytes}, sharing * bytes, at_once * bytes);
  };
  const double bytes = static_cast<double>(calibration.parameter_count()) * kElementBytes;
  return {.seconds = overlapped(plan, calibration, step, {}, {}, cost) + cost(bytes).total(),
          .floor_seconds = network.least_seconds(incast * bytes),
          .bytes_per_host = cluster.hosts > 1 ? 2 * incast * bytes : 0};
}

}  // namespace

std::int64_t count_workers(const StrategyPlan& plan, const Cluster& cluster) {
  if (plan.kind == StrategyKind::kHogwild && cluster.hosts > 1) {
    throw UsageError(fmt::format(
        "--strategy hogwild shares one host's memory, and {} hosts are asked for; give --hosts 1 "
        "or another strategy",
        cluster.hosts));
  }
  const std::int64_t workers = cluster.ranks() - plan.servers;
  if (workers >= 1) return workers;
  throw UsageError(fmt::format(
      "--strategy {} has {} servers, and {} hosts have {} ranks; allowed: fewer servers than ranks",
      plan.text, plan.servers, cluster.hosts, cluster.ranks()));
}

Exchange exchange(const StrategyPlan& plan, const Calibration& calibration, const Cluster& cluster,
                  const Network& network, const RankStep& step) {
  if (cluster.ranks() == 1) return {};
  switch (plan.kind) {
    case StrategyKind::kAllReduce:
      return all_reduce(plan, calibration, network, step);
    case StrategyKind::kAveraging:
      return averaging(plan, calibration, network);
    case StrategyKind::kServer:
      return plan.servers == 0 ? serving_all(plan, calibration, cluster, network, step)
                               : serving_apart(plan, calibration, cluster, network, step);
    case StrategyKind::kHogwild:
      break;
  }
  return {};
}

}  // namespace yoke::forecast

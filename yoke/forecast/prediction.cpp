#include "yoke/forecast/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/forecast/exchange.h"
#include "yoke/forecast/failures.h"
#include "yoke/forecast/memory.h"
#include "yoke/forecast/stragglers.h"

namespace yoke::forecast {
namespace {

/// Times the mean of one rank's step that all `workers` need, which meet every so many steps.
double slowest(const Cluster& cluster, std::int64_t workers, double spread, double every) {
  const std::int64_t slow =
      std::min(workers, cluster.slow.count * static_cast<std::int64_t>(cluster.ranks_per_host));
  const double own = spread_of_sum(spread, every);
  const double usual = slow < workers ? slowest_of(workers - slow, own) : 0;
  return std::max(usual, slow > 0 ? cluster.slow.factor * slowest_of(slow, own) : 0);
}

/// The same where each worker goes at its own pace: how much longer a step of all takes because
/// some are slower.
double without_waiting(const Cluster& cluster, std::int64_t workers) {
  const auto slow = static_cast<double>(
      std::min(workers, cluster.slow.count * static_cast<std::int64_t>(cluster.ranks_per_host)));
  const auto all = static_cast<double>(workers);
  return all / (all - slow + slow / cluster.slow.factor);
}

StepParts step_parts(const Calibration& calibration, const Job& job, const Cluster& cluster,
                     const RankStep& rank, Case which) {
  const StrategyPlan& plan = job.strategy;
  const std::int64_t workers = count_workers(plan, cluster);
  const Network network(calibration, cluster, job.comm, which);
  const Exchange moved = exchange(plan, calibration, cluster, network, rank);
  StepParts parts{.compute = rank.seconds - rank.data_wait, .data_wait = rank.data_wait};
  const double factor = plan.in_step ? slowest(cluster, workers, rank.spread, plan.every)
                                     : without_waiting(cluster, workers);
  parts.stragglers = (factor - 1) * rank.seconds;
  parts.link = moved.seconds;
  parts.link += std::max(0.0, moved.floor_seconds - parts.total());
  return parts;
}

void add_failures(const Calibration& calibration, const Cluster& cluster, Outcome& outcome) {
  const FailureCosts costs{
      .mean_between = cluster.host_mean_between_failures / static_cast<double>(cluster.hosts),
      .checkpoint = calibration.checkpoint.pause,
      .restart = cluster.restart_seconds};
  // A checkpoint must be on the disk before the next.
  outcome.checkpoint_interval = std::max(daly_interval(costs), calibration.checkpoint.write);
  outcome.failure_overhead = failure_overhead(costs, outcome.checkpoint_interval);
}

/// As `yoke train` does.
void check_batch(std::int64_t batch_size, const Calibration& calibration, const Cluster& cluster) {
  if (batch_size <= calibration.train_images) return;
  throw UsageError(fmt::format(
      "on {} a step has {} images, but the data set has {}; give a batch size over all ranks up to "
      "that, or fewer --hosts",
      format_count(cluster.hosts, "host"), batch_size, calibration.train_images));
}

}  // namespace

std::int64_t global_batch_size(const Job& job, const Cluster& cluster) {
  return job.per_rank ? job.batch_size * count_workers(job.strategy, cluster) : job.batch_size;
}

void check(const Job& job, const Cluster& cluster) {
  const StrategyPlan& plan = job.strategy;
  count_workers(plan, cluster);
  if (plan.kind == StrategyKind::kServer && plan.servers != 1 && !job.splits &&
      cluster.ranks() > 1) {
    throw UsageError(fmt::format(
        "--strategy {}: this optimizer needs sums over all parameters, of which a server has only "
        "a part; give servers=1, or --strategy allreduce",
        plan.text));
  }
  if (!job.comm.one_host || cluster.hosts == 1) return;
  throw UsageError(
      fmt::format("--comm shared-memory connects the ranks of one host, and {} hosts are asked "
                  "for; give --comm "
                  "auto",
                  cluster.hosts));
}

Prediction predict(const Calibration& calibration, const Job& job, const Cluster& cluster) {
  check(job, cluster);
  const std::int64_t workers = count_workers(job.strategy, cluster);
  Prediction found{.hosts = cluster.hosts, .ranks = cluster.ranks()};
  found.batch_size = global_batch_size(job, cluster);
  check_batch(found.batch_size, calibration, cluster);
  const auto batch = static_cast<double>(found.batch_size);
  found.images_per_rank = std::ceil(batch / static_cast<double>(workers));
  const auto images = static_cast<double>(calibration.train_images);
  for (const Case which : kCases) {
    const RankStep rank = rank_step(calibration, cluster, found.images_per_rank, which);
    Outcome outcome{.step = step_parts(calibration, job, cluster, rank, which)};
    outcome.epoch_seconds = outcome.step.total() * std::ceil(images / batch);
    outcome.images_per_second = images / outcome.epoch_seconds;
    add_failures(calibration, cluster, outcome);
    (which == Case::kLow       ? found.low
     : which == Case::kTypical ? found.typical
                               : found.high) = outcome;
  }
  const RankStep rank = rank_step(calibration, cluster, found.images_per_rank, Case::kTypical);
  const Network network(calibration, cluster, job.comm, Case::kTypical);
  found.bytes_per_step = exchange(job.strategy, calibration, cluster, network, rank).bytes_per_host;
  found.memory_per_host_bytes =
      cluster.ranks_per_host * rank_memory(job.strategy, calibration, cluster, rank.memory_bytes);
  return found;
}

}  // namespace yoke::forecast

#include "yoke/forecast/scaling.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yoke::forecast {
namespace {

Cluster with_hosts(Cluster cluster, std::int64_t hosts) {
  cluster.hosts = hosts;
  return cluster;
}

double rate(const Prediction& prediction) {
  return prediction.typical.images_per_second / (1 + prediction.typical.failure_overhead);
}

/// Seconds per image that `doubled` has beyond half of those of `at`, by where they go.
Limit find_limit(const Prediction& at, const Prediction& doubled) {
  const auto lost = [&](auto part) {
    return part(doubled.typical) / static_cast<double>(doubled.batch_size) -
           part(at.typical) / static_cast<double>(at.batch_size) / 2;
  };
  const std::array<std::pair<double, Limit>, 5> losses = {{
      {lost([](const Outcome& o) { return o.step.compute; }), Limit::kCompute},
      {lost([](const Outcome& o) { return o.step.link; }), Limit::kLink},
      {lost([](const Outcome& o) { return o.step.data_wait; }), Limit::kData},
      {lost([](const Outcome& o) { return o.step.stragglers; }), Limit::kStragglers},
      {lost([](const Outcome& o) { return o.step.total() * o.failure_overhead; }),
       Limit::kFailures},
  }};
  return std::max_element(losses.begin(), losses.end())->second;
}

}  // namespace

std::string name_of(Limit limit) {
  switch (limit) {
    case Limit::kCompute:
      return "compute";
    case Limit::kLink:
      return "link";
    case Limit::kData:
      return "data";
    case Limit::kStragglers:
      return "stragglers";
    case Limit::kFailures:
      return "failures";
  }
  return "compute";
}

double speed_up(const Prediction& base, const Prediction& prediction) {
  return prediction.typical.images_per_second / base.typical.images_per_second;
}

double efficiency(const Prediction& base, const Prediction& prediction) {
  return speed_up(base, prediction) * static_cast<double>(base.hosts) /
         static_cast<double>(prediction.hosts);
}

std::optional<ScalingEnd> find_end(const Calibration& calibration, const Job& job,
                                   const Cluster& cluster, std::int64_t first, std::int64_t most) {
  constexpr double kWorthwhile = 1.1;
  Prediction at = predict(calibration, job, with_hosts(cluster, first));
  for (std::int64_t hosts = first; hosts <= most / 2; hosts *= 2) {
    Prediction doubled = predict(calibration, job, with_hosts(cluster, 2 * hosts));
    if (rate(doubled) < kWorthwhile * rate(at)) {
      return ScalingEnd{
          .hosts = hosts, .at = at, .doubled = doubled, .limit = find_limit(at, doubled)};
    }
    at = doubled;
  }
  return std::nullopt;
}

std::vector<StrategyChoice> compare_strategies(const Calibration& calibration, const Job& job,
                                               const Cluster& cluster,
                                               const std::vector<StrategyPlan>& others) {
  std::vector<StrategyChoice> choices = {
      StrategyChoice{.plan = job.strategy, .prediction = predict(calibration, job, cluster)}};
  for (const auto& plan : others) {
    if (!plan.in_step || plan.text == job.strategy.text) continue;
    Job other = job;
    other.strategy = plan;
    const bool refused = other.strategy.kind == StrategyKind::kServer && !job.splits;
    const bool fits = global_batch_size(other, cluster) <= calibration.train_images;
    if (refused || !fits) continue;
    choices.push_back({plan, predict(calibration, other, cluster)});
  }
  std::stable_sort(choices.begin(), choices.end(), [](const auto& a, const auto& b) {
    return rate(a.prediction) > rate(b.prediction);
  });
  return choices;
}

}  // namespace yoke::forecast

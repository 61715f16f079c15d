// yoke/forecast/scaling.h: a training on growing numbers of hosts, and what that says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yoke/forecast/prediction.h"

namespace yoke::forecast {

/// What most of the lost time goes to.
enum class Limit { kCompute, kLink, kData, kStragglers, kFailures };

/// For people and programs: `link`.
std::string name_of(Limit limit);

/// Where twice the hosts no longer pay.
struct ScalingEnd {
  std::int64_t hosts = 0;
  Prediction at, doubled;
  Limit limit = Limit::kCompute;  ///< Of `doubled`, against an even share of the work of `at`.
};

/// A strategy and its prediction.
struct StrategyChoice {
  StrategyPlan plan;
  Prediction prediction;
};

/// Times as many images per second as `base`, in the typical case.
double speed_up(const Prediction& base, const Prediction& prediction);

/// Speed-up over the ideal one, which is in proportion to hosts.
double efficiency(const Prediction& base, const Prediction& prediction);

/// The fewest hosts from `first` on, doubled each time and at most `most`, whose double would train
/// less than a tenth faster, failures included; nothing where there is none.
std::optional<ScalingEnd> find_end(const Calibration& calibration, const Job& job,
                                   const Cluster& cluster, std::int64_t first, std::int64_t most);

/// The job's own strategy and those of `others` that wait for each other, on `cluster`; the fastest
/// first. Those that `yoke train` would refuse are left out.
std::vector<StrategyChoice> compare_strategies(const Calibration& calibration, const Job& job,
                                               const Cluster& cluster,
                                               const std::vector<StrategyPlan>& others);

}  // namespace yoke::forecast

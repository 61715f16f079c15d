#include "yoke/forecast/failures.h"

#include <cmath>
#include <limits>

namespace yoke::forecast {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

double daly_interval(const FailureCosts& costs) {
  const double d = costs.checkpoint, m = costs.mean_between;
  if (m <= 0) return kNever;
  if (d >= 2 * m) return m;
  const double x = d / (2 * m);
  return std::sqrt(2 * d * m) * (1 + std::sqrt(x) / 3 + x / 9) - d;
}

double failure_overhead(const FailureCosts& costs, double interval) {
  const double d = costs.checkpoint, m = costs.mean_between;
  if (m <= 0) return std::isinf(interval) ? 0 : d / interval;
  return m * std::exp(costs.restart / m) * std::expm1((interval + d) / m) / interval - 1;
}

}  // namespace yoke::forecast

#include "yoke/study/findings/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yoke/core/error.h"
#include "yoke/study/findings/student.h"

namespace yoke::study {

Sample summarise(std::vector<double> values) {
  if (values.empty()) throw Error("a sample needs at least one value");
  for (const double value : values) {
    if (!std::isfinite(value)) throw Error("a sample holds a value that is not finite");
  }
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Sample sample{.n = static_cast<int>(n),
                .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                .least = values.front(),
                .most = values.back(),
                .mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n),
                .interval = {}};
  if (n < 2) return sample;
  double squares = 0;
  for (const double value : values) squares += (value - sample.mean) * (value - sample.mean);
  const auto freedom = static_cast<double>(n - 1);
  sample.deviation = std::sqrt(squares / freedom);
  const double half =
      student_quantile(0.975, freedom) * sample.deviation / std::sqrt(static_cast<double>(n));
  sample.interval = {sample.mean - half, sample.mean + half};
  return sample;
}

Difference compare(const Sample& a, const Sample& b) {
  Difference difference{.ratio = a.mean != 0 ? b.mean / a.mean : 1};
  if (a.n < 2 || b.n < 2) return difference;
  const double variance_a = a.deviation * a.deviation / a.n;
  const double variance_b = b.deviation * b.deviation / b.n;
  const double variance = variance_a + variance_b;
  if (variance <= 0) return difference;
  const double t = (b.mean - a.mean) / std::sqrt(variance);
  const double freedom =
      variance * variance /
      (variance_a * variance_a / (a.n - 1) + variance_b * variance_b / (b.n - 1));
  if (!(freedom > 0) || !std::isfinite(freedom)) return difference;  // squares out of range
  difference.p = 2 * (1 - student_cdf(std::abs(t), freedom));
  return difference;
}

std::vector<std::optional<double>> holm(const std::vector<std::optional<double>>& p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return *p[a] < *p[b]; });
  std::vector<std::optional<double>> raised(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, static_cast<double>(order.size() - i) * *p[order[i]]));
    raised[order[i]] = least;
  }
  return raised;
}

}  // namespace yoke::study

#include "yoke/forecast/stragglers.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace yoke::forecast {
namespace {

/// n phi(z) Phi(z)^(n-1) exp(s z - s^2 / 2): the density of the largest of n standard normal
/// numbers, times the lognormal time with mean 1 that belongs to z.
double integrand(double z, double n, double spread) {
  const double above = 0.5 * std::erfc(z / std::numbers::sqrt2);  // small for large z, exactly
  const double log_all_below = (n - 1) * std::log1p(-above);
  const double log_density = -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi);
  return n * std::exp(log_all_below + log_density + spread * z - 0.5 * spread * spread);
}

}  // namespace

double slowest_of(std::int64_t count, double spread) {
  if (count <= 1 || spread <= 0) return 1;
  // Simpson's rule; beyond these ends lies less than 1e-9 of it.
  const double begin = -9, end = 9 + spread;
  constexpr int kIntervals = 4000;
  const double width = (end - begin) / kIntervals;
  double sum = 0;
  for (int i = 0; i <= kIntervals; ++i) {
    const double weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * integrand(begin + i * width, static_cast<double>(count), spread);
  }
  return std::fmax(1.0, sum * width / 3);
}

double spread_of_samples(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const auto count = static_cast<double>(samples.size());
  const double mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(std::log1p(squares / (count - 1) / (mean * mean)));
}

double spread_of_sum(double spread, double steps) {
  return std::sqrt(std::log1p(std::expm1(spread * spread) / std::fmax(1.0, steps)));
}

}  // namespace yoke::forecast

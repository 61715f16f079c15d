#include "apps/yoke/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/clock.h"

namespace yoke {

Samples Samples::measure(const std::function<void()>& work, double seconds, int warm_up) {
  constexpr std::size_t kLeast = 5;
  for (int i = 0; i < warm_up; ++i) work();
  Samples samples;
  const Stopwatch total;
  while (total.seconds() < seconds || samples.count() < kLeast) {
    const Stopwatch watch;
    work();
    samples.sorted_.push_back(1e3 * watch.seconds());
  }
  std::sort(samples.sorted_.begin(), samples.sorted_.end());
  return samples;
}

double Samples::quantile(double q) const {
  const double rank = std::ceil(q * static_cast<double>(count()));
  return sorted_[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::string Samples::str() const {
  return fmt::format("min {:.3f}  p50 {:.3f}  p99 {:.3f}  max {:.3f} ms  (n = {})", min(), p50(),
                     p99(), max(), count());
}

void Samples::add_to(nlohmann::ordered_json& json) const {
  json["min_ms"] = min();
  json["p50_ms"] = p50();
  json["p99_ms"] = p99();
  json["max_ms"] = max();
  json["samples"] = count();
}

}  // namespace yoke

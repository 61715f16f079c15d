#include "apps/yoke/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/system/clock.h"

namespace yoke {

Samples::Samples(std::vector<double> milliseconds) : sorted_(std::move(milliseconds)) {
  std::sort(sorted_.begin(), sorted_.end());
}

Samples Samples::measure(const std::function<void()>& work, double seconds, int warm_up) {
  return measure_by_turns({work}, seconds, warm_up).front();
}

std::vector<Samples> Samples::measure_by_turns(const std::vector<std::function<void()>>& works,
                                               double seconds, int warm_up) {
  constexpr std::size_t kLeast = 5;
  for (int i = 0; i < warm_up; ++i) {
    for (const auto& work : works) work();
  }
  std::vector<std::vector<double>> all(works.size());
  const Stopwatch total;
  const double end = seconds * static_cast<double>(works.size());
  while (total.seconds() < end || all.front().size() < kLeast) {
    for (std::size_t i = 0; i < works.size(); ++i) {
      const Stopwatch watch;
      works[i]();
      all[i].push_back(1e3 * watch.seconds());
    }
  }
  return {all.begin(), all.end()};
}

double Samples::quantile(double q) const {
  const double rank = std::ceil(q * static_cast<double>(count()));
  return sorted_[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

Samples Samples::each(int count) const {
  std::vector<double> milliseconds = sorted_;
  for (double& one : milliseconds) one /= count;
  return Samples(std::move(milliseconds));
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

// apps/yoke/samples.h: how long something takes, from many tries.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yoke {

/// Milliseconds of each try.
class Samples {
 public:
  /// Of at least one try, in any order.
  explicit Samples(std::vector<double> milliseconds);
  /// Calls `work` for `seconds`, but at least five times, after `warm_up` calls that do not count.
  static Samples measure(const std::function<void()>& work, double seconds, int warm_up = 5);
  /// The same of each of `works`, by turns, so that what slows the machine down slows down all.
  static std::vector<Samples> measure_by_turns(const std::vector<std::function<void()>>& works,
                                               double seconds, int warm_up = 5);

  double min() const { return sorted_.front(); }
  double max() const { return sorted_.back(); }
  double p50() const { return quantile(0.5); }
  double p99() const { return quantile(0.99); }
  std::size_t count() const { return sorted_.size(); }
  /// The smallest sample that at least the fraction `q` does not exceed.
  double quantile(double q) const;

  /// The same, where each try was `count` in a row.
  Samples each(int count) const;

  /// `min 1.00  p50 1.10  p99 1.30  max 2.00 ms  (n = 100)`
  std::string str() const;
  /// Adds `min_ms`, `p50_ms`, `p99_ms`, `max_ms` and `samples`.
  void add_to(nlohmann::ordered_json& json) const;

 private:
  std::vector<double> sorted_;
};

}  // namespace yoke

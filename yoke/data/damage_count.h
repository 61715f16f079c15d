// yoke/data/damage_count.h: files that could not be decoded, and when they are too many.
#pragma once
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// Counts damaged files, each once. Safe to use from several threads.
class DamageCount {
 public:
  /// Of `files`, the fraction `most`, in [0, 1], may be damaged.
  DamageCount(std::int64_t files, double most) : files_(files), most_(most) {}

  /// Notes that `file` is damaged. @throws Error that names it when too many are.
  void add(const std::string& file, std::string_view why);

  std::int64_t count() const;
  bool contains(const std::string& file) const;

  /// A line for each file noted since the last call.
  std::vector<std::string> take_lines();

 private:
  const std::int64_t files_;
  const double most_;
  mutable std::mutex mutex_;
  std::set<std::string> damaged_;
  std::vector<std::string> lines_;
};

}  // namespace yoke

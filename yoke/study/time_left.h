// yoke/study/time_left.h: how long the rest of a study will take.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/jobs.h"

namespace yoke::study {

/// Learns from runs that have ended.
class TimeLeft {
 public:
  /// A run of a point took so long.
  void add(const StudyPoint& point, double seconds);

  /// Seconds until `jobs` are done, `lanes` at a time, one run of each point like its others; a
  /// point that was never run like the mean, and so `later` runs after them. Nothing before the
  /// first run has ended.
  std::optional<double> of(const std::vector<const Job*>& jobs, std::size_t lanes,
                           double later = 0) const;

 private:
  struct Sum {
    double seconds = 0;
    int runs = 0;
    double mean() const { return seconds / runs; }
  };
  std::map<std::string, Sum> points_;
  Sum all_;
};

}  // namespace yoke::study

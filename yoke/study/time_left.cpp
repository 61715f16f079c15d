#include "yoke/study/time_left.h"

#include <algorithm>

namespace yoke::study {

void TimeLeft::add(const StudyPoint& point, double seconds) {
  for (Sum* const sum : {&points_[point.name], &all_}) {
    sum->seconds += seconds;
    ++sum->runs;
  }
}

std::optional<double> TimeLeft::of(const std::vector<const Job*>& jobs, std::size_t lanes,
                                   double later) const {
  if (all_.runs == 0) return std::nullopt;
  double seconds = later * all_.mean();
  for (const auto* const job : jobs) {
    const auto known = points_.find(job->point->name);
    seconds += (known == points_.end() ? all_ : known->second).mean();
  }
  return seconds / static_cast<double>(std::max<std::size_t>(1, std::min(lanes, jobs.size())));
}

}  // namespace yoke::study

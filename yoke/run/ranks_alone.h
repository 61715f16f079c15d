// yoke/run/ranks_alone.h: the accuracies of ranks that were measured by themselves.
#pragma once
#include <vector>

namespace yoke {

struct RanksAlone {
  double least, mean, most;
};

/// Of at least one rank, e.g. of Metrics::rank_top1.
RanksAlone ranks_alone(const std::vector<double>& top1);

}  // namespace yoke

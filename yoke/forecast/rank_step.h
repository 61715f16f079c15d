// yoke/forecast/rank_step.h: what a step costs a rank by itself, read from a calibration.
#pragma once
#include <utility>
#include <vector>

#include "yoke/forecast/calibration.h"
#include "yoke/forecast/case.h"
#include "yoke/forecast/cluster.h"

namespace yoke::forecast {

/// A step of one rank, in seconds.
struct RankStep {
  double seconds = 0;    ///< All of it.
  double data_wait = 0;  ///< Of these, for the loader.
  double gradient = 0;   ///< Of these, forward and backward.
  double spread = 0;     ///< As of BatchTimes.
  double memory_bytes = 0;
  const Layout* layout = nullptr;  ///< That it was read from.
};

/// Ranks and threads of the layouts from which rank_step() reads for `cluster`, calibrated on
/// `cores` cores: one; or, where a rank has more cores than that, one thread and all.
std::vector<std::pair<int, int>> needed_layouts(int cores, const Cluster& cluster);

/// With `images` of its own. Between and beyond the measured numbers of images on lines, the spread
/// beyond them as at the outermost; on more cores than calibrated by Amdahl's law (1967) from one
/// thread and all, in the low case with the full speed-up, in the high one with none; where ranks
/// share a core, ranks_per_core() times as long.
/// @throws UsageError where a layout was not measured.
RankStep rank_step(const Calibration& calibration, const Cluster& cluster, double images,
                   Case which);

}  // namespace yoke::forecast

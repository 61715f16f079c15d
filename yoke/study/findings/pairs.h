// yoke/study/findings/pairs.h: points beside one of them, run for run with the same seed.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/groups.h"

namespace yoke::study {

/// A point beside Comparison::base. Runs with the same seed have the same first weights and order
/// of images, so that their differences scatter less than they do themselves.
struct PairedPoint {
  std::string label;
  Sample difference;  ///< The point's number less the base's, over pairs of completed runs.
};

/// Each other point that shares a seed with the base, the best mean first; none where there is no
/// base.
std::vector<PairedPoint> pair_points(const Comparison& comparison, const std::string& number,
                                     bool less_is_better);

}  // namespace yoke::study

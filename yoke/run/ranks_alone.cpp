#include "yoke/run/ranks_alone.h"

#include <algorithm>
#include <numeric>

namespace yoke {

RanksAlone ranks_alone(const std::vector<double>& top1) {
  const auto [least, most] = std::minmax_element(top1.begin(), top1.end());
  const double sum = std::accumulate(top1.begin(), top1.end(), 0.0);
  return {.least = *least, .mean = sum / static_cast<double>(top1.size()), .most = *most};
}

}  // namespace yoke

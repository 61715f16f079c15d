// yoke/study/figures/downsample.h: long series with fewer points.
#pragma once
#include <cstddef>
#include <vector>

#include "yoke/study/figures/figure.h"

namespace yoke::study {

/// At most `most` points, each the mean of as many neighbours; as it is where there are fewer.
std::vector<Point> downsample(std::vector<Point> points, std::size_t most = 300);

}  // namespace yoke::study

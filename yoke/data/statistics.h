// yoke/data/statistics.h: what is in a data set, counted.
#pragma once
#include <cstdint>
#include <vector>

#include "yoke/data/dataset.h"

namespace yoke {

/// Counts over all images of one split.
struct DatasetStatistics {
  std::int64_t images = 0;
  std::vector<std::int64_t> class_counts;  ///< Images of each class.
  std::vector<double> mean;                ///< Per channel, of pixels in [0, 1].
  std::vector<double> deviation;           ///< Standard deviation (of the population) per channel.
  std::int64_t pixel_bytes = 0;            ///< Of all images, one byte a value.
};

/// Images of each class. Reads every label of `dataset` once.
std::vector<std::int64_t> class_counts(const Dataset& dataset);

/// Reads every label and pixel of `dataset` once. The mean and deviation are exact sums over the
/// 256 values a pixel can have; 0 for an empty data set.
DatasetStatistics measure(const Dataset& dataset);

}  // namespace yoke

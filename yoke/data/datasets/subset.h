// yoke/data/datasets/subset.h: some images of a data set as a data set.
#pragma once
#include <cstdint>
#include <memory>

#include "yoke/data/dataset.h"

namespace yoke {

/// `count` images of `dataset`, of each class its share, rounded, the first ones; or `dataset`
/// itself where it has no more than that.
std::shared_ptr<const Dataset> limited(std::shared_ptr<const Dataset> dataset, std::int64_t count);

/// `dataset` with a long tail of rare classes: of class c in [0, C) only the first
/// max(1, round(n / imbalance^(c / (C - 1)))) images, n being the largest class's number (Cui et
/// al. 2019, section 5.1). `imbalance`, n over the number of the rarest class, is at least 1; 1
/// gives `dataset` itself.
std::shared_ptr<const Dataset> long_tailed(std::shared_ptr<const Dataset> dataset,
                                           double imbalance);

}  // namespace yoke

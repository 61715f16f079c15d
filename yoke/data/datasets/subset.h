// yoke/data/datasets/subset.h: the beginning of a data set as a data set.
#pragma once
#include <cstdint>
#include <memory>

#include "yoke/data/dataset.h"

namespace yoke {

/// The first `count` images of `dataset`, or `dataset` itself where it has no more than that.
std::shared_ptr<const Dataset> first_images(std::shared_ptr<const Dataset> dataset,
                                            std::int64_t count);

}  // namespace yoke

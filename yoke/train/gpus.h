// yoke/train/gpus.h: how the ranks of a host share its GPUs.
#pragma once
#include <cstdint>

namespace yoke {

/// The first GPU of the `place`-th rank of a host that takes `replicas` GPUs, one after the other,
/// of the `gpus` that it sees; ranks for whom none are left share those of the first ones. 0
/// replicas are one. @throws UsageError where a rank wants more than there are.
int first_gpu(std::int64_t place, std::int64_t replicas, std::int64_t gpus);

}  // namespace yoke

// yoke/comm/shared/sum.h: the sum of several vectors.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace yoke::shared {

/// Adds up `sources` in their order, each `count` numbers of `type`, and writes the sum to every
/// one of `targets`, which may be sources. fp16 and bf16 are summed in fp32 and rounded once.
void sum(torch::ScalarType type, const std::vector<const std::byte*>& sources, std::int64_t count,
         const std::vector<std::byte*>& targets);

}  // namespace yoke::shared

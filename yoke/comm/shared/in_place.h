// yoke/comm/shared/in_place.h: operations on tensors that lie where every rank sees them.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/comm/shared/region.h"

namespace yoke::shared {

/// Where a tensor of the arena lies in the memory of each rank; see Arena::everywhere().
using Places = std::vector<std::byte*>;

/// Replaces `tensor`, at `places`, by its sum: each rank adds up its part and writes it to all.
void all_reduce_in_place(SharedRegion& region, const torch::Tensor& tensor, const Places& places);

/// Adds up this rank's part of the inputs at `places` into `output`, which may be that part.
void reduce_scatter_in_place(SharedRegion& region, const Places& places,
                             const torch::Tensor& output);

/// Copies the parts of other ranks from their outputs, at `places`; `input` may be this rank's
/// part of `output`.
void all_gather_in_place(SharedRegion& region, const torch::Tensor& input,
                         const torch::Tensor& output, const Places& places);

}  // namespace yoke::shared

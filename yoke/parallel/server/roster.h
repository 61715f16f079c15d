// yoke/parallel/server/roster.h: which workers are left.
#pragma once
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/parallel/server/pushing.h"
#include "yoke/parallel/server/serving.h"

namespace yoke {

/// Puts together whom each server has lost, gives those up everywhere, and tells all who live:
/// int64 [workers], 1 where a worker is left. The first `servers` ranks have a `serving`, the
/// others a `pushing`; all call it alike while workers rest.
/// @throws CommError on a worker that was given up but lives.
torch::Tensor agree_on_workers(Communicator& ranks, int servers, std::int64_t workers,
                               Serving* serving, Pushing* pushing);

/// The numbers of `workers` that are left, in their order.
std::vector<int> left_of(const std::vector<int>& workers, const torch::Tensor& alive);

}  // namespace yoke

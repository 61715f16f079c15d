// yoke/parallel/agreement.h: the same model on all ranks.
#pragma once
#include <torch/types.h>

#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/flat_parameters.h"

namespace yoke {

/// Gives all ranks the parameters and buffers of rank 0.
void broadcast_model(FlatParameters& parameters, const std::vector<torch::Tensor>& buffers,
                     Communicator& communicator);

/// Replaces buffers of floating point by their mean over the ranks but the `first` ones, whose own
/// do not count.
void average_buffers(const std::vector<torch::Tensor>& buffers, Communicator& communicator,
                     int first = 0);

/// Compares the bits of `values`, contiguous, over ranks. @throws Error that names the ranks whose
/// bits are not those of rank 0; on all ranks.
void check_agreement(const torch::Tensor& values, Communicator& communicator);

}  // namespace yoke

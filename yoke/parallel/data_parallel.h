// yoke/parallel/data_parallel.h: trains a program's own module over ranks, with LibTorch's own
// optimizers.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/eager/gradient_hooks.h"
#include "yoke/parallel/buckets.h"

namespace yoke {

/// How gradients are cut up for the way between ranks.
using DataParallelOptions = BucketSizes;

/// Keeps the copies of a module on all ranks equal: each rank computes the loss of its own images,
/// and backward() leaves the same mean gradient on all of them, so that equal optimizers take equal
/// steps (Li et al. 2020, "PyTorch Distributed: Experiences on Accelerating Data Parallel
/// Training"). All ranks make the same calls in the same order.
class DataParallel {
 public:
  /// Moves the parameters of `module` into one vector and gives all ranks the parameters and
  /// buffers of rank 0. Make optimizers after it. `module` keeps its parameters and stays on its
  /// device; it and `communicator` must outlive this.
  /// @throws Error where FlatParameters does; CommError when a peer is lost.
  DataParallel(torch::nn::Module& module, Communicator& communicator,
               const DataParallelOptions& options = {});
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  /// Backpropagates `loss`, the mean over the `images` of this rank, one number. Replaces the
  /// gradient of each parameter by that of the mean over the images of all ranks, which it sends in
  /// buckets while the backward pass goes on. A rank may have 0 images; `loss` may then be
  /// undefined. Returns the mean loss over the images of all ranks, fp32 [].
  /// @throws Error when `loss` and `images` do not fit, or no rank has images; CommError when a
  /// peer is lost.
  torch::Tensor backward(const torch::Tensor& loss, std::int64_t images);

  /// Before the module is measured or saved: replaces buffers of floating point (running
  /// statistics) by their mean over ranks.
  void synchronise();

 private:
  double share_of_step(std::int64_t images);
  void attach_gradients();

  torch::nn::Module& module_;
  Communicator& communicator_;
  FlatParameters parameters_;
  GradientHooks hooks_;
  std::vector<Work> works_;  // of the buckets that went
  BucketFiller filler_;
};

}  // namespace yoke

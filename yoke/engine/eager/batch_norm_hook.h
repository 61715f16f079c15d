// yoke/engine/eager/batch_norm_hook.h: batch norms of one thread, computed by code of Yoke's own.
#pragma once
#include <torch/types.h>

#include <functional>

namespace yoke {

/// What a batch norm is given; tensors that it was not given are undefined.
struct BatchNormCall {
  torch::Tensor input;                           ///< [N, C, ...].
  torch::Tensor weight, bias;                    ///< [C].
  torch::Tensor running_mean, running_variance;  ///< [C].
  double momentum = 0;
  double epsilon = 0;
  bool cudnn = false;
};

/// LibTorch's own, in training mode.
torch::Tensor plain_batch_norm(const BatchNormCall& call);

/// While it lives, every batch norm in training mode that this thread runs is `normalise`; those of
/// other threads are as ever.
class BatchNormHook {
 public:
  using Normalise = std::function<torch::Tensor(const BatchNormCall& call)>;

  explicit BatchNormHook(Normalise normalise);
  ~BatchNormHook();
  BatchNormHook(const BatchNormHook&) = delete;
  BatchNormHook& operator=(const BatchNormHook&) = delete;

 private:
  const Normalise normalise_;
  const Normalise* const before_;
};

}  // namespace yoke

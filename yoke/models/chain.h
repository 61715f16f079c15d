// yoke/models/chain.h: modules one after the other, named 0, 1, 2, ..., within another such chain.
#pragma once
#include <torch/nn/modules/container/sequential.h>

namespace yoke {

/// torch::nn::Sequential of tensors, which can be put into another one.
struct ChainImpl final : torch::nn::SequentialImpl {
  using SequentialImpl::SequentialImpl;

  torch::Tensor forward(torch::Tensor x) { return SequentialImpl::forward(std::move(x)); }
};
TORCH_MODULE(Chain);

}  // namespace yoke

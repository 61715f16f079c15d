#include "yoke/comm/operation_copy.h"

namespace yoke {
namespace {

torch::Tensor copy_of(const torch::Tensor& tensor) {
  return tensor.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
}

Operation copies_of(const Operation& operation) {
  const torch::Tensor input = copy_of(operation.input);
  const bool one = operation.output.is_same(operation.input);
  return {operation.kind, input, one ? input : copy_of(operation.output), operation.peer};
}

}  // namespace

OperationCopy::OperationCopy(const Operation& operation)
    : own_(operation), copy_(copies_of(operation)) {}

void OperationCopy::bring_back() const {
  if (own_.kind != Collective::kSend) torch::Tensor(own_.output).copy_(copy_.output);
}

}  // namespace yoke

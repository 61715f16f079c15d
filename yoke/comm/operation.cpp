#include "yoke/comm/operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

bool allowed(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat32:
    case torch::kFloat64:
    case torch::kFloat16:
    case torch::kBFloat16:
    case torch::kInt64:
    case torch::kInt32:
    case torch::kUInt8:
      return true;
    default:
      return false;
  }
}

}  // namespace

const char* name_of(Collective kind) {
  switch (kind) {
    case Collective::kAllReduce:
      return "all-reduce";
    case Collective::kReduceScatter:
      return "reduce-scatter";
    case Collective::kAllGather:
      return "all-gather";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kSend:
      return "send";
    case Collective::kReceive:
      return "receive";
  }
  return "unknown operation";
}

bool is_collective(Collective kind) {
  return kind != Collective::kSend && kind != Collective::kReceive;
}

Operation Operation::all_reduce(const torch::Tensor& tensor) {
  return {Collective::kAllReduce, tensor, tensor, 0};
}

Operation Operation::reduce_scatter(const torch::Tensor& input, const torch::Tensor& output) {
  return {Collective::kReduceScatter, input, output, 0};
}

Operation Operation::all_gather(const torch::Tensor& input, const torch::Tensor& output) {
  return {Collective::kAllGather, input, output, 0};
}

Operation Operation::broadcast(const torch::Tensor& tensor, int root) {
  return {Collective::kBroadcast, tensor, tensor, root};
}

Operation Operation::send(const torch::Tensor& tensor, int to) {
  return {Collective::kSend, tensor, tensor, to};
}

Operation Operation::receive(const torch::Tensor& tensor, int from) {
  return {Collective::kReceive, tensor, tensor, from};
}

std::int64_t Operation::bytes() const {
  return static_cast<std::int64_t>(std::max(input.nbytes(), output.nbytes()));
}

std::string Operation::str() const {
  std::string text = fmt::format("{} of {}", name_of(kind), format_bytes(bytes()));
  if (kind == Collective::kSend) text += fmt::format(" to rank {}", peer);
  if (kind == Collective::kReceive || kind == Collective::kBroadcast) {
    text += fmt::format(" from rank {}", peer);
  }
  return text;
}

void Operation::check(int rank, int size) const {
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("{} on rank {} of {}: {}", str(), rank, size, why));
  };
  if (!input.is_contiguous() || !output.is_contiguous()) fail("the tensors must be contiguous");
  if (input.scalar_type() != output.scalar_type() || !allowed(input.scalar_type())) {
    fail(
        fmt::format("the dtype is {} and {}; allowed: one of fp32, fp64, fp16, bf16, int64, int32, "
                    "uint8 for both",
                    c10::toString(input.scalar_type()), c10::toString(output.scalar_type())));
  }
  const std::int64_t parts = kind == Collective::kReduceScatter ? size : 1;
  const std::int64_t copies = kind == Collective::kAllGather ? size : 1;
  if (input.numel() * copies != output.numel() * parts) {
    fail(fmt::format("the input has {} elements and the output {}", input.numel(), output.numel()));
  }
  if (peer < 0 || peer >= size || (!is_collective(kind) && peer == rank)) {
    fail(fmt::format("the peer is {}; allowed: another rank from 0 to {}", peer, size - 1));
  }
}

}  // namespace yoke

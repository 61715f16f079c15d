// yoke/comm/communicators/nccl.cpp: between GPUs, by LibTorch's ProcessGroupNCCL.
//
// Operations run in the order of the caller's stream: start() returns at once, and waiting makes
// the current stream wait, not the thread.
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "yoke/comm/communicators/c10d_nccl.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

class Nccl final : public Transport {
 public:
  explicit Nccl(const Group& group)
      : size_(group.size),
        group_(nccl_group(c10d_store(*group.store), group.rank, group.size, group.timeout)) {}

  std::string describe() const override { return fmt::format("nccl ({} GPUs)", size_); }

  std::optional<Work> start(const Operation& operation) override {
    if (!operation.input.is_cuda()) {
      run_on_copies(operation);
      return Work();
    }
    const auto work = launch(operation);
    // Keeps the tensors until they were used.
    return Work([work, operation] {
      try {
        work->wait();
      } catch (const std::exception& error) {
        throw CommError(fmt::format("{} over nccl: {}", operation.str(), error.what()));
      }
    });
  }

  void run(const Operation& operation) override { start(operation)->wait(); }

  Tensor allocate(std::int64_t elements) override {
    return torch::zeros({elements}, torch::TensorOptions(torch::kCUDA));
  }

 private:
  /// For the few small tensors that are not on a GPU; in order with the others.
  void run_on_copies(const Operation& operation) {
    const bool one = operation.input.is_same(operation.output);
    const Tensor input = operation.input.to(torch::kCUDA);
    const Tensor output = one ? input : operation.output.to(torch::kCUDA);
    start({operation.kind, input, output, operation.peer})->wait();
    Tensor(operation.output).copy_(output);  // waits for the stream
  }

  NcclWork launch(const Operation& operation) {
    Tensor input = operation.input.view(-1), output = operation.output.view(-1);
    std::vector<Tensor> inputs = {input};
    switch (operation.kind) {
      case Collective::kAllReduce:
        return group_->allreduce(inputs);
      case Collective::kReduceScatter:
        return group_->_reduce_scatter_base(output, input);
      case Collective::kAllGather:
        return group_->_allgather_base(output, input);
      case Collective::kBroadcast: {
        c10d::BroadcastOptions options;
        options.rootRank = operation.peer;
        return group_->broadcast(inputs, options);
      }
      case Collective::kSend:
        return group_->send(inputs, operation.peer, 0);
      case Collective::kReceive:
        return group_->recv(inputs, operation.peer, 0);
    }
    throw Error("no such operation");
  }

  const int size_;
  const NcclGroup group_;
};

/// Of the GPU that this rank has taken, on its host's PCI bus.
std::string gpu_address() {
  std::array<char, 32> address{};
  const auto told = cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()),
                                          c10::cuda::current_device());
  return told == cudaSuccess ? address.data() : "";
}

/// NCCL itself says so only in the first operation. @throws CommError where two have one.
void check_that_ranks_have_own_gpus(const Group& group) {
  const auto key = [](int rank) { return fmt::format("gpu/{}", rank); };
  const std::string own = gpu_address();
  group.store->set(key(group.rank), own);
  for (const int rank : group.neighbours()) {
    if (rank == group.rank || group.store->get(key(rank), group.timeout) != own) continue;
    throw CommError(
        fmt::format("ranks {} and {} share GPU {}, and NCCL takes one rank a GPU; give "
                    "--comm gloo, or as many ranks as the host has GPUs",
                    std::min(rank, group.rank), std::max(rank, group.rank), own));
  }
}

std::unique_ptr<Transport> make_nccl(const Group& group, const NoOptions&) {
  if (group.size == 1) return nullptr;
  try {
    check_that_ranks_have_own_gpus(group);
    return std::make_unique<Nccl>(group);
  } catch (const std::exception& error) {
    throw CommError(fmt::format("nccl cannot connect the ranks: {}", error.what()));
  }
}

}  // namespace

CommunicatorPlugin nccl_communicator() { return {no_options(), make_nccl}; }

}  // namespace yoke

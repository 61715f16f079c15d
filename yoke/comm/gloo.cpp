// yoke/comm/gloo.cpp: TCP between any hosts, by LibTorch's ProcessGroupGloo.
#include <fmt/format.h>

#include "yoke/comm/address.h"
#include "yoke/comm/c10d.h"
#include "yoke/comm/collectives.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

Tensor bytes_of(const Tensor& tensor) {
  return torch::from_blob(tensor.data_ptr(), {static_cast<std::int64_t>(tensor.nbytes())},
                          torch::kUInt8);
}

class Gloo final : public Collectives {
 public:
  explicit Gloo(const Group& group)
      : size_(group.size),
        address_(group.peers[static_cast<std::size_t>(group.rank)].address),
        group_(gloo_group(c10d_store(*group.store), group.rank, group.size, address_,
                          group.timeout)) {}

  std::string describe() const override {
    const std::string interface = interface_of(address_);
    return fmt::format("gloo ({}{}{})", interface, interface.empty() ? "" : ", ", address_);
  }

 private:
  void all_reduce(const Tensor& tensor) override {
    if (is_half(tensor)) return all_reduce_by_parts(tensor, size_);
    std::vector<Tensor> tensors = {tensor};
    group_->allreduce(tensors)->wait();
  }

  void all_gather(const Tensor& input, const Tensor& output) override {
    std::vector<Tensor> inputs = {bytes_of(input)};
    std::vector<std::vector<Tensor>> outputs = {bytes_of(output).chunk(size_)};
    group_->allgather(outputs, inputs)->wait();
  }

  void broadcast(const Tensor& tensor, int root) override {
    std::vector<Tensor> tensors = {bytes_of(tensor)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group_->broadcast(tensors, options)->wait();
  }

  void send(const Tensor& tensor, int to) override {
    std::vector<Tensor> tensors = {bytes_of(tensor)};
    group_->send(tensors, to, 0)->wait();
  }

  void receive(const Tensor& tensor, int from) override {
    std::vector<Tensor> tensors = {bytes_of(tensor)};
    group_->recv(tensors, from, 0)->wait();
  }

  /// Every rank gets its part of every rank's input: bytes [ranks, n].
  Tensor exchange(const Tensor& input) {
    auto parts = torch::empty_like(input);
    Tensor from = bytes_of(input), to = bytes_of(parts);
    std::vector<std::int64_t> equal;
    group_->alltoall_base(to, from, equal, equal)->wait();
    return parts.view({size_, -1});
  }

  // In a type that holds the sum, rounded once.
  void reduce_scatter(const Tensor& input, const Tensor& output) override {
    const Tensor parts = exchange(input);
    const auto type = is_half(input) ? torch::kFloat32 : input.scalar_type();
    Tensor sum = parts[0].to(type, /*non_blocking=*/false, /*copy=*/true);
    for (std::int64_t rank = 1; rank < size_; ++rank) sum += parts[rank];
    Tensor(output).view(-1).copy_(sum);
  }

  const int size_;
  const std::string address_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

}  // namespace

std::unique_ptr<Transport> make_gloo(const Group& group, Options&) {
  if (group.size == 1) return nullptr;
  try {
    return std::make_unique<Gloo>(group);
  } catch (const std::exception& error) {
    throw CommError(fmt::format("gloo cannot connect the ranks: {}", error.what()));
  }
}

}  // namespace yoke

// yoke/comm/communicators/gloo.cpp: TCP between any hosts, by LibTorch's ProcessGroupGloo.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "yoke/comm/communicators/c10d.h"
#include "yoke/comm/communicators/collectives.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/address.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

/// Of all ranks together: many times what goes over a link within a round trip.
constexpr std::int64_t kPieceBytes = std::int64_t{4} << 20;

Tensor byte_view(const Tensor& tensor) {
  return torch::from_blob(tensor.data_ptr(), {static_cast<std::int64_t>(tensor.nbytes())},
                          torch::kUInt8);
}

class Gloo final : public Collectives {
 public:
  explicit Gloo(const Group& group)
      : size_(group.size),
        address_(group.peers[static_cast<std::size_t>(group.rank)].address),
        group_(
            gloo_group(c10d_store(*group.store), group.rank, group.size, address_, group.timeout)) {
    // Whoever left as soon as it is connected would leave others waiting, who still connect to it.
    gather(torch::zeros({1}));
  }

  std::string describe() const override {
    const std::string interface = interface_of(address_);
    return fmt::format("gloo ({}{}{})", interface, interface.empty() ? "" : ", ", address_);
  }

  // Gloo itself takes too short a message without a word, and ends the process at too long a one.
  void compare(const Signature& signature) override { check_same(gather(signature.tensor())); }

 private:
  void all_reduce(const Tensor& tensor) override {
    if (is_half(tensor)) return all_reduce_by_parts(tensor, size_);
    std::vector<Tensor> tensors = {tensor};
    group_->allreduce(tensors)->wait();
  }

  // Piece by piece it takes little memory.
  void all_gather(const Tensor& input, const Tensor& output) override {
    const Tensor own = byte_view(input), all = byte_view(output).view({size_, -1});
    for (std::int64_t begin = 0; begin < own.numel(); begin += piece(1)) {
      const std::int64_t count = std::min(piece(1), own.numel() - begin);
      all.narrow(1, begin, count).copy_(gather(own.narrow(0, begin, count)));
    }
  }

  void broadcast(const Tensor& tensor, int root) override {
    std::vector<Tensor> tensors = {byte_view(tensor)};
    c10d::BroadcastOptions options;
    options.rootRank = root;
    group_->broadcast(tensors, options)->wait();
  }

  void send(const Tensor& tensor, int to) override {
    std::vector<Tensor> signature = {signature_of(Operation::send(tensor, to)).tensor()};
    std::vector<Tensor> tensors = {byte_view(tensor)};
    const auto first = group_->send(signature, to, 0);
    group_->send(tensors, to, 0)->wait();
    first->wait();
  }

  void receive(const Tensor& tensor, int from) override {
    Signature sent;
    std::vector<Tensor> signature = {sent.tensor()}, tensors = {byte_view(tensor)};
    group_->recv(signature, from, 0)->wait();
    std::memcpy(&sent, signature.front().data_ptr(), sizeof sent);
    check_sent(sent, signature_of(Operation::receive(tensor, from)), from);
    group_->recv(tensors, from, 0)->wait();
  }

  /// Every rank gets its part of every rank's `input` [ranks, n].
  Tensor exchange(const Tensor& input) {
    const Tensor sent = input.contiguous(), parts = torch::empty_like(sent);
    Tensor from = byte_view(sent), to = byte_view(parts);
    std::vector<std::int64_t> equal;
    group_->alltoall_base(to, from, equal, equal)->wait();
    return parts;
  }

  /// Every rank's `own` [n], as [ranks, n]. Not by LibTorch's all-gather: where a peer is lost,
  /// that frees its memory while another peer is still sent it.
  Tensor gather(const Tensor& own) { return exchange(own.expand({size_, -1})); }

  // In a type that holds the sum, rounded once. Piece by piece it takes little memory.
  void reduce_scatter(const Tensor& input, const Tensor& output) override {
    const auto type = is_half(input) ? torch::kFloat32 : input.scalar_type();
    const auto most = piece(static_cast<std::int64_t>(input.element_size()));
    const Tensor all = input.view({size_, -1});
    for (std::int64_t begin = 0; begin < output.numel(); begin += most) {
      const std::int64_t count = std::min(most, output.numel() - begin);
      const Tensor parts = exchange(all.narrow(1, begin, count));
      Tensor sum = parts[0].to(type, /*non_blocking=*/false, /*copy=*/true);
      for (std::int64_t rank = 1; rank < size_; ++rank) sum += parts[rank];
      Tensor(output).view(-1).narrow(0, begin, count).copy_(sum);
    }
  }

  /// How many elements of each rank go at once.
  std::int64_t piece(std::int64_t element_bytes) const {
    return std::max(kPieceBytes / (size_ * element_bytes), std::int64_t{1});
  }

  const int size_;
  const std::string address_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
};

std::unique_ptr<Transport> make_gloo(const Group& group, const NoOptions&) {
  if (group.size == 1) return nullptr;
  try {
    return std::make_unique<Gloo>(group);
  } catch (const std::exception& error) {
    throw CommError(fmt::format("gloo cannot connect the ranks: {}", error.what()));
  }
}

}  // namespace

CommunicatorPlugin gloo_communicator() {
  return {no_options(), make_gloo,
          CommunicatorTraits{.plan = forecast::CommunicatorPlan{.between = kGloo}}};
}

}  // namespace yoke

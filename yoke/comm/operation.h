// yoke/comm/operation.h: what ranks can do together.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>

namespace yoke {

/// The kinds of operations.
enum class Collective { kAllReduce, kReduceScatter, kAllGather, kBroadcast, kSend, kReceive };

/// `all-reduce`.
const char* name_of(Collective kind);
/// Whether all ranks take part; sends and receives concern two.
bool is_collective(Collective kind);

/// One operation on contiguous tensors that all have one dtype: fp32, fp64, fp16, bf16, int64,
/// int32 or uint8. Sums of fp16 and bf16 are made in fp32 and rounded once,
/// between hosts once more.
struct Operation {
  Collective kind = Collective::kAllReduce;
  torch::Tensor input;
  torch::Tensor output;
  int peer = 0;  ///< The root of a broadcast, to whom to send, from whom to receive.

  /// Replaces `tensor` by its sum over ranks, bitwise equal on all of them.
  static Operation all_reduce(const torch::Tensor& tensor);
  /// `input` [size() * n], in parts of n, one per rank; `output` [n] becomes the sum of this rank's
  /// parts. `output` may be this rank's part of `input`, else they do not overlap.
  static Operation reduce_scatter(const torch::Tensor& input, const torch::Tensor& output);
  /// `output` [size() * n] becomes every rank's `input` [n], by rank. `input` may be this rank's
  /// part of `output`, else they do not overlap.
  static Operation all_gather(const torch::Tensor& input, const torch::Tensor& output);
  /// Replaces `tensor` by that of rank `root`.
  static Operation broadcast(const torch::Tensor& tensor, int root);
  /// Sends `tensor` to another rank; may wait until that one receives.
  static Operation send(const torch::Tensor& tensor, int to);
  /// Fills `tensor`, of the sender's dtype and size, by what another rank sends.
  static Operation receive(const torch::Tensor& tensor, int from);

  /// Of the larger tensor.
  std::int64_t bytes() const;
  /// `all-reduce of 4.0 MiB`, `send of 17 bytes to rank 2`.
  std::string str() const;
  /// @throws Error unless the tensors and the peer are as they must be for rank `rank` of `size`.
  void check(int rank, int size) const;
};

}  // namespace yoke

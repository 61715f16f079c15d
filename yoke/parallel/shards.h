// yoke/parallel/shards.h: the flat parameters as one part per rank.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/sum_over_ranks.h"

namespace yoke {

/// Cuts P flat parameters into contiguous parts of P / size() elements, that of the last rank with
/// the remainder. Each rank moves its own part and has optimizer state for no other (ZeRO stage 1,
/// Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", section 5.1). All ranks make the same calls.
class Shards {
 public:
  /// Both must outlive it.
  Shards(FlatParameters& parameters, Communicator& communicator);
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  /// This rank's part.
  FlatParameters& own() { return own_; }
  /// What adds up over all parts, for the optimizer of one.
  SumOverRanks sum();

  /// Replaces this rank's part of the gradient by the sum over ranks; what the others' parts then
  /// hold is no gradient.
  void sum_gradients();
  /// Replaces the others' parts of the parameters by what their ranks have made of them.
  void gather_values();

  /// Room for what `part`, [..., own().size()], is a part of, [..., P], until forget() or
  /// put_back(); on rank 0 it holds all ranks' parts, on others nothing.
  torch::Tensor whole(const torch::Tensor& part);
  /// Gives the memory of all whole() back.
  void forget() { wholes_.clear(); }
  /// Before that, copies to every part what its whole() was set to, alike on all ranks.
  void put_back();

  /// Spent in gather_values().
  double seconds() const { return seconds_; }

 private:
  /// Elements [begin, end) are those of `rank`.
  std::int64_t begin_of(int rank) const { return rank * each_; }
  std::int64_t end_of(int rank) const;
  /// The part of a whole that is of `rank`.
  torch::Tensor of(int rank, const torch::Tensor& whole) const;

  FlatParameters& parameters_;
  Communicator& communicator_;
  const std::int64_t each_;  // elements that every part has
  FlatParameters own_;
  std::vector<std::pair<torch::Tensor, torch::Tensor>> wholes_;  // parts and wholes
  double seconds_ = 0;
};

}  // namespace yoke

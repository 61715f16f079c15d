// yoke/parallel/sharding/shards.h: the flat parameters as one part per rank.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/core/sum_over_ranks.h"

namespace yoke {

/// Cuts P flat parameters into contiguous parts of equal size for the first ranks, the last part
/// with the remainder; other ranks have nothing. With a part for every rank, each rank moves its
/// own part and has optimizer state for no other (ZeRO stage 1, Rajbhandari et al. 2020, "ZeRO:
/// Memory Optimizations Toward Training Trillion Parameter Models", section 5.1). All ranks make
/// the same calls.
class Shards {
 public:
  /// So many `parts`; 0 is one per rank. Both must outlive it.
  Shards(FlatParameters& parameters, Communicator& communicator, int parts = 0);
  Shards(const Shards&) = delete;
  Shards& operator=(const Shards&) = delete;

  int parts() const { return parts_; }
  /// Elements [begin, end) are those of `rank`.
  std::int64_t begin_of(int rank) const {
    return rank < parts_ ? rank * each_ : parameters_.size();
  }
  std::int64_t end_of(int rank) const;
  /// This rank's part.
  FlatParameters& own() { return own_; }
  /// The part of `whole`, [..., P], that is of `rank`: a view.
  torch::Tensor of(int rank, const torch::Tensor& whole) const;
  /// What adds up over all parts, for the optimizer of one.
  SumOverRanks sum();

  /// Replaces this rank's part of the gradient by the sum over ranks; what the others' parts then
  /// hold is no gradient.
  void sum_gradients();
  /// Replaces the others' parts of the parameters by what their ranks have made of them.
  void gather_values();

  /// A copy of what `part`, [..., own().size()], is a part of, [..., P]; on other ranks than 0
  /// only room for it.
  torch::Tensor whole(const torch::Tensor& part);
  /// Sets every part whose whole() is there still to its piece of what that was set to on all
  /// ranks.
  void put_back();

  /// Spent in gather_values().
  double seconds() const { return seconds_; }

 private:
  using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

  /// What was gathered, and this rank's part of it.
  struct Whole {
    torch::Tensor part;
    WeakTensor copy;  // gone with the caller's
  };

  FlatParameters& parameters_;
  Communicator& communicator_;
  const int parts_;
  const std::int64_t each_;  // elements that every part has
  FlatParameters own_;
  std::vector<Whole> wholes_;
  double seconds_ = 0;
};

}  // namespace yoke

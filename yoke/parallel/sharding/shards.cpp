#include "yoke/parallel/sharding/shards.h"

#include "yoke/core/system/clock.h"

namespace yoke {

using torch::Tensor;

Shards::Shards(FlatParameters& parameters, Communicator& communicator, int parts)
    : parameters_(parameters),
      communicator_(communicator),
      parts_(parts == 0 ? communicator.size() : parts),
      each_(parameters.size() / parts_),
      own_(parameters.part(begin_of(communicator.rank()), end_of(communicator.rank()))) {}

SumOverRanks Shards::sum() {
  return [this](const Tensor& tensor) { communicator_.all_reduce(tensor); };
}

// Operations take parts of one size: the remainder goes by itself.
void Shards::sum_gradients() {
  const std::int64_t even = each_ * communicator_.size();
  const Tensor& gradients = parameters_.gradients();
  communicator_.reduce_scatter(gradients.narrow(0, 0, even), own_.gradients().narrow(0, 0, each_));
  communicator_.all_reduce(gradients.narrow(0, even, gradients.numel() - even));
}

void Shards::gather_values() {
  const Stopwatch watch;
  const std::int64_t even = each_ * communicator_.size();
  const Tensor& values = parameters_.values();
  communicator_.all_gather(own_.values().narrow(0, 0, each_), values.narrow(0, 0, even));
  communicator_.broadcast(values.narrow(0, even, values.numel() - even), communicator_.size() - 1);
  seconds_ += watch.seconds();
}

Tensor Shards::whole(const Tensor& part) {
  auto shape = part.sizes().vec();
  shape.back() = parameters_.size();
  const Tensor whole = torch::empty(shape, part.options());
  std::erase_if(wholes_, [](const Whole& earlier) { return earlier.copy.expired(); });
  wholes_.push_back({.part = part, .copy = WeakTensor(whole.getIntrusivePtr())});
  if (communicator_.rank() != 0) {
    communicator_.send(part.contiguous(), 0);
    return whole;
  }
  of(0, whole).copy_(part);
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    const Tensor theirs = torch::empty_like(of(rank, whole), torch::MemoryFormat::Contiguous);
    communicator_.receive(theirs, rank);
    of(rank, whole).copy_(theirs);
  }
  return whole;
}

void Shards::put_back() {
  for (auto& [part, copy] : wholes_) {
    if (const auto whole = copy.lock()) part.copy_(of(communicator_.rank(), Tensor(whole)));
  }
  wholes_.clear();
}

std::int64_t Shards::end_of(int rank) const {
  return rank + 1 >= parts_ ? parameters_.size() : begin_of(rank + 1);
}

Tensor Shards::of(int rank, const Tensor& whole) const {
  return whole.narrow(-1, begin_of(rank), end_of(rank) - begin_of(rank));
}

}  // namespace yoke

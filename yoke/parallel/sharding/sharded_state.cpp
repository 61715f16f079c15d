#include "yoke/parallel/sharding/sharded_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

/// Whether `tensor`, state of a part of `size` elements, has one for each along its last
/// dimension; `empty` is the same state of a part without elements.
bool is_cut(const Tensor& tensor, const Tensor& empty, std::int64_t size) {
  if (tensor.dim() == 0 || empty.dim() != tensor.dim()) return false;
  auto shape = tensor.sizes().vec();
  if (shape.back() != size || empty.size(-1) != 0) return false;
  shape.back() = 0;
  return empty.sizes() == shape;
}

}  // namespace

ShardedState::ShardedState(const MakePart& make, const Shard& part, Shards& shards)
    : shards_(shards), part_(make(part)) {
  FlatParameters nothing = part.parameters.part(0, 0);
  const auto empty = make({nothing, part.sum})->state();
  const auto state = part_->state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    const auto& [name, tensor] = state[i];
    cut_.push_back(is_cut(tensor, empty[i].second, part.parameters.size()));
    if (cut_.back() || tensor.sizes() == empty[i].second.sizes()) continue;
    throw UsageError(fmt::format(
        "the optimizer's state '{}' [{}] has no element for each parameter and cannot be split "
        "over ranks; keep it whole (--strategy allreduce), or choose another --optimizer",
        name, fmt::join(tensor.sizes().vec(), ", ")));
  }
}

NamedTensors ShardedState::whole() {
  NamedTensors state = part_->state();
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (cut_[i]) state[i].second = shards_.whole(state[i].second);
  }
  return state;
}

}  // namespace yoke

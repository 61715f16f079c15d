#include "yoke/engine/compiled/memory/reduce.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "yoke/engine/compiled/kernels/add.h"

namespace yoke::compiled {
namespace {

/// Shares out the parameters: the largest first, each to whom has least.
std::vector<std::vector<ParameterId>> share_out(const FlatParameters& parameters, int members) {
  const auto& slices = parameters.slices();
  std::vector<ParameterId> order(slices.size());
  std::iota(order.begin(), order.end(), 0);
  const auto elements = [&](ParameterId id) {
    return slices[static_cast<std::size_t>(id)].elements;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](ParameterId a, ParameterId b) { return elements(a) > elements(b); });
  std::vector<std::vector<ParameterId>> shares(static_cast<std::size_t>(members));
  std::vector<std::int64_t> load(shares.size(), 0);
  for (const ParameterId id : order) {
    const auto least = std::min_element(load.begin(), load.end());
    shares[static_cast<std::size_t>(least - load.begin())].push_back(id);
    *least += elements(id);
  }
  return shares;
}

}  // namespace

GradientReducer::GradientReducer(const dnnl::engine& engine, FlatParameters& parameters,
                                 int members)
    : engine_(engine),
      parameters_(parameters),
      shares_(share_out(parameters, members)),
      reorders_(parameters.slices().size()) {}

void GradientReducer::run(int member, const std::vector<const GradientStore*>& replicas,
                          dnnl::stream& stream) {
  for (const ParameterId id : shares_[static_cast<std::size_t>(member)]) {
    reduce(id, replicas, stream);
  }
}

void GradientReducer::reduce(ParameterId id, const std::vector<const GradientStore*>& replicas,
                             dnnl::stream& stream) {
  const auto& slice = parameters_.slices()[static_cast<std::size_t>(id)];
  if (slice.frozen) return;  // zeros, from the first
  float* const flat = parameters_.gradients().data_ptr<float>() + slice.offset;
  const auto bytes = static_cast<std::size_t>(slice.elements) * sizeof(float);
  const auto* const first = replicas.front()->find(id);
  if (first == nullptr) {  // the network does not use it
    std::memset(flat, 0, bytes);
    return;
  }
  for (std::size_t r = 1; r < replicas.size(); ++r) {
    add_to(replicas[r]->find(id)->data(), static_cast<std::int64_t>(first->size()), first->data());
  }
  const auto contiguous = contiguous_desc(first->dims);
  if (first->memory.get_desc() == contiguous) {
    std::memcpy(flat, first->data(), bytes);
    return;
  }
  auto& reorder = reorders_[static_cast<std::size_t>(id)];
  if (reorder == nullptr || reorder->from != first->memory) {
    const dnnl::memory to(contiguous, engine_, nullptr);
    reorder =
        std::make_unique<Reorder>(Reorder{first->memory, to, dnnl::reorder(first->memory, to)});
  }
  reorder->to.set_data_handle(flat);
  reorder->primitive.execute(stream, reorder->from, reorder->to);
}

}  // namespace yoke::compiled

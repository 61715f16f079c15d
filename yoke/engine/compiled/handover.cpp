#include "yoke/engine/compiled/handover.h"

#include <ATen/record_function.h>

namespace yoke::compiled {

Handover::Handover(GradientReducer& reducer, const FlatParameters& parameters,
                   std::vector<const GradientStore*> replicas, const GradientReady& ready)
    : reducer_(reducer),
      parameters_(parameters),
      replicas_(std::move(replicas)),
      ready_(ready),
      done_(parameters.slices().size()) {}

void Handover::completed(ParameterId id, dnnl::stream& stream) {
  const int before = done_[static_cast<std::size_t>(id)].fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 == static_cast<int>(replicas_.size())) hand_over(id, stream);
}

void Handover::finish(dnnl::stream& stream) {
  for (std::size_t id = 0; id < done_.size(); ++id) {
    if (done_[id] == 0) hand_over(static_cast<ParameterId>(id), stream);
  }
}

void Handover::hand_over(ParameterId id, dnnl::stream& stream) {
  RECORD_USER_SCOPE("gradient: sum over replicas");
  reducer_.reduce(id, replicas_, stream);
  const auto& slice = parameters_.slices()[static_cast<std::size_t>(id)];
  const std::lock_guard lock(telling_);
  ready_(slice.offset, slice.offset + slice.elements);
}

}  // namespace yoke::compiled

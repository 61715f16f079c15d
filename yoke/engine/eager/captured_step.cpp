#include "yoke/engine/eager/captured_step.h"

#include "yoke/engine/eager/device_images.h"

namespace yoke {

CapturedStep::CapturedStep(std::unique_ptr<StepGraph> graph, torch::Device device)
    : graph_(std::move(graph)), device_(device) {}

Forward CapturedStep::run(const Batch& batch, const Compute& compute) {
  if (!fits(batch)) {
    if (recorded_) return compute(batch);
    batch_ = batch;
    batch_.step_images = batch.whole();
    batch_.input = device_images(batch.input, device_);
    for (torch::Tensor* each : batch_.tensors()) *each = each->to(device_).clone();
    rehearsals_ = 0;
  }
  if (rehearsals_ < kRehearsals) {
    ++rehearsals_;
    Forward forward;
    graph_->rehearse([&] { forward = compute(batch); });
    return forward;
  }
  copy(batch);
  if (!recorded_) graph_->record([this, compute] { forward_ = compute(batch_); });
  recorded_ = true;
  graph_->replay();
  return {.loss = forward_.loss.clone(), .scores = forward_.scores.clone()};
}

bool CapturedStep::fits(const Batch& batch) const {
  return batch_.input.defined() && batch_.input.sizes() == batch.input.sizes() &&
         batch_.whole() == batch.whole() && batch_.mixed() == batch.mixed();
}

void CapturedStep::copy(Batch batch) {
  const auto from = batch.tensors(), to = batch_.tensors();
  for (std::size_t i = 0; i < to.size(); ++i) to[i]->copy_(*from[i], /*non_blocking=*/true);
}

}  // namespace yoke

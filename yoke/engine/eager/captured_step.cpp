#include "yoke/engine/eager/captured_step.h"

#include "yoke/engine/eager/device_images.h"

namespace yoke {

CapturedStep::CapturedStep(std::unique_ptr<StepGraph> graph, torch::Device device)
    : work_(std::move(graph)), device_(device) {}

Forward CapturedStep::run(const Batch& batch, const Compute& compute) {
  if (!fits(batch)) {
    if (work_.recorded()) return compute(batch);
    batch_ = batch;
    batch_.step_images = batch.whole();
    batch_.input = device_images(batch.input, device_);
    for (torch::Tensor* each : batch_.tensors()) *each = each->to(device_).clone();
    work_.begin_again();
  }
  if (work_.rehearses()) {
    Forward forward;
    work_.run([&] { forward = compute(batch); });
    return forward;
  }
  copy(batch);
  work_.run([this, compute] { forward_ = compute(batch_); });
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

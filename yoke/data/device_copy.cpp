#include "yoke/data/device_copy.h"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace yoke {
namespace {

using c10::impl::VirtualGuardImpl;

}  // namespace

DeviceCopy::DeviceCopy(torch::Device device) : device_(device) {
  if (!device.is_cpu()) stream_ = VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

Batch DeviceCopy::copy(Batch batch) const {
  return wait_for([&] {
    for (torch::Tensor* each : batch.tensors()) *each = each->to(device_, /*non_blocking=*/true);
    return batch;
  });
}

Batch DeviceCopy::wait_for(const std::function<Batch()>& make) const {
  if (!stream_) return make();
  const c10::StreamGuard guard(*stream_);
  Batch batch = make();
  VirtualGuardImpl(device_.type()).synchronizeStream(*stream_);
  return batch;
}

void use_in_this_stream(Batch batch) {
  for (const torch::Tensor* each : batch.tensors()) {
    if (each->is_cpu()) continue;
    each->record_stream(VirtualGuardImpl(each->device().type()).getStream(each->device()));
  }
}

}  // namespace yoke

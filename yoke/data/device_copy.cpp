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
  if (!stream_) return batch;
  const c10::StreamGuard guard(*stream_);
  batch.input = batch.input.to(device_, /*non_blocking=*/true);
  batch.target = batch.target.to(device_, /*non_blocking=*/true);
  VirtualGuardImpl(device_.type()).synchronizeStream(*stream_);
  return batch;
}

void use_in_this_stream(const Batch& batch) {
  for (const auto& tensor : {batch.input, batch.target}) {
    if (tensor.is_cpu()) continue;
    tensor.record_stream(VirtualGuardImpl(tensor.device().type()).getStream(tensor.device()));
  }
}

}  // namespace yoke

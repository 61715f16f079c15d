// yoke/data/device_copy.h: batches copied to a GPU while it computes.
#pragma once
#include <c10/core/Stream.h>
#include <torch/types.h>

#include <functional>
#include <optional>

#include "yoke/core/batch.h"

namespace yoke {

/// Brings batches to a device. GPUs do so in a stream of this object's, beside what they compute;
/// each thread has an object of its own.
class DeviceCopy {
 public:
  explicit DeviceCopy(torch::Device device);

  /// `batch` on the device, once it is all there; on a processor as it is. Copies overlap with
  /// other work where it was in pinned memory.
  Batch copy(Batch batch) const;

  /// What `make` makes on the device, once it is all there.
  Batch wait_for(const std::function<Batch()>& make) const;

 private:
  const torch::Device device_;
  std::optional<c10::Stream> stream_;  // of a GPU
};

/// Tells the allocator of GPU memory that the caller's stream uses a batch that another made; call
/// it before the first use.
void use_in_this_stream(Batch batch);

}  // namespace yoke

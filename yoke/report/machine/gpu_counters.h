// yoke/report/machine/gpu_counters.h: how busy the GPUs of this process are.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "yoke/report/machine/nvml.h"

namespace yoke {

/// GPUs of one process, read again and again.
class GpuCounters {
 public:
  /// `addresses` are theirs on the PCI bus.
  explicit GpuCounters(std::vector<std::string> addresses = {});
  /// By another library than the driver's; without one it knows nothing.
  GpuCounters(std::vector<std::string> addresses, std::shared_ptr<const Nvml> library);

  /// Summed over the GPUs, 100 for each busy one; nothing without one, or where one does not tell.
  GpuUse read() const;

 private:
  std::vector<std::string> addresses_;
  std::shared_ptr<const Nvml> library_;
};

/// The address on the PCI bus, `0000:3b:00.0`, of the GPU that LibTorch calls `cuda:<index>`; empty
/// where it has no CUDA or no such GPU.
std::string gpu_address(int index);

}  // namespace yoke

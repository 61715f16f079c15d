#include "yoke/report/machine/gpu_counters.h"

#include <dlfcn.h>

#include <array>

namespace yoke {
namespace {

void add(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

}  // namespace

GpuCounters::GpuCounters(std::vector<std::string> addresses)
    : addresses_(std::move(addresses)), library_(addresses_.empty() ? nullptr : Nvml::open()) {}

GpuCounters::GpuCounters(std::vector<std::string> addresses, std::shared_ptr<const Nvml> library)
    : addresses_(std::move(addresses)), library_(std::move(library)) {}

GpuUse GpuCounters::read() const {
  if (!library_ || addresses_.empty()) return {};
  GpuUse sum{.percent = 0, .memory_bytes = 0};
  for (const auto& address : addresses_) {
    const GpuUse one = library_->use(address);
    add(sum.percent, one.percent);
    add(sum.memory_bytes, one.memory_bytes);
  }
  return sum;
}

std::string gpu_address(int index) {
  // Of CUDA's runtime library, which LibTorch has loaded where it can use GPUs.
  using Ask = int(char* address, int bytes, int device);
  auto* const ask = reinterpret_cast<Ask*>(::dlsym(RTLD_DEFAULT, "cudaDeviceGetPCIBusId"));
  std::array<char, 32> address{};
  const bool told =
      ask != nullptr && ask(address.data(), static_cast<int>(address.size()), index) == 0;
  return told ? address.data() : "";
}

}  // namespace yoke

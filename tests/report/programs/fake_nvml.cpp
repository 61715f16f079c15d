// tests/report/programs/fake_nvml.cpp: stands in for NVIDIA's management library: two GPUs, of
// which the second does not tell how busy it is.
#include <cstdio>
#include <cstring>

namespace {

constexpr int kSuccess = 0, kNotSupported = 3, kNotFound = 6;

struct Gpu {
  const char* address;
  const char* name;
  unsigned long long total, used;
  int percent;  // -1: it does not tell
};

Gpu gpus[] = {{"0000:01:00.0", "Fake GPU A", 16'000'000'000, 3'000'000'000, 42},
              {"0000:02:00.0", "Fake GPU B", 8'000'000'000, 500'000'000, -1}};

int copy(const char* text, char* to, unsigned size) {
  std::snprintf(to, size, "%s", text);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return kSuccess; }
int nvmlShutdown() { return kSuccess; }
int nvmlSystemGetDriverVersion(char* to, unsigned size) { return copy("123.45", to, size); }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpus[index];
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  for (Gpu& gpu : gpus) {
    if (std::strcmp(gpu.address, address) != 0) continue;
    *device = &gpu;
    return kSuccess;
  }
  return kNotFound;
}

int nvmlDeviceGetName(void* device, char* to, unsigned size) {
  return copy(static_cast<Gpu*>(device)->name, to, size);
}

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used) {
  const Gpu& gpu = *static_cast<Gpu*>(device);
  total_free_used[0] = gpu.total;
  total_free_used[1] = gpu.total - gpu.used;
  total_free_used[2] = gpu.used;
  return kSuccess;
}

int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpu_and_memory) {
  const Gpu& gpu = *static_cast<Gpu*>(device);
  if (gpu.percent < 0) return kNotSupported;
  gpu_and_memory[0] = static_cast<unsigned>(gpu.percent);
  gpu_and_memory[1] = 7;
  return kSuccess;
}

}  // extern "C"

#include "yoke/report/machine/nvml.h"

#include <dlfcn.h>

#include <array>

namespace yoke {
namespace {

using Device = void*;  // nvmlDevice_t
constexpr int kSuccess = 0;
constexpr std::size_t kTextBytes = 96;  // the longest that the library asks for

/// What `read` writes, empty where it fails.
template <typename Read>
std::string text(const Read& read) {
  std::array<char, kTextBytes> buffer{};
  return read(buffer.data(), static_cast<unsigned>(buffer.size())) == kSuccess ? buffer.data() : "";
}

}  // namespace

/// In the library's own names and types (NVIDIA's "NVML API Reference Manual").
struct Nvml::Functions {
  struct Utilisation {  // nvmlUtilization_t, percent
    unsigned gpu = 0, memory = 0;
  };
  struct Memory {  // nvmlMemory_t, bytes
    unsigned long long total = 0, free = 0, used = 0;
  };

  explicit Functions(void* opened) : library(opened) {
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(driver_version, "nvmlSystemGetDriverVersion");
    find(count, "nvmlDeviceGetCount_v2");
    find(by_index, "nvmlDeviceGetHandleByIndex_v2");
    find(by_address, "nvmlDeviceGetHandleByPciBusId_v2");
    find(name, "nvmlDeviceGetName");
    find(memory, "nvmlDeviceGetMemoryInfo");
    find(utilisation, "nvmlDeviceGetUtilizationRates");
  }
  ~Functions() { ::dlclose(library); }
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  template <typename Function>
  void find(Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(::dlsym(library, symbol));
    complete = complete && function != nullptr;
  }

  void* const library;
  bool complete = true;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*by_address)(const char*, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*utilisation)(Device, Utilisation*) = nullptr;
};

std::shared_ptr<const Nvml> Nvml::open(const std::string& library) {
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return nullptr;
  auto functions = std::make_unique<const Functions>(opened);
  if (!functions->complete || functions->init() != kSuccess) return nullptr;
  return std::shared_ptr<const Nvml>(new Nvml(std::move(functions)));
}

Nvml::Nvml(std::unique_ptr<const Functions> functions) : functions_(std::move(functions)) {}

Nvml::~Nvml() { functions_->shutdown(); }

std::string Nvml::driver_version() const { return text(functions_->driver_version); }

std::vector<GpuModel> Nvml::gpus() const {
  unsigned count = 0;
  if (functions_->count(&count) != kSuccess) return {};
  std::vector<GpuModel> found;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (functions_->by_index(i, &device) != kSuccess) continue;  // of others
    Functions::Memory memory;
    if (functions_->memory(device, &memory) != kSuccess) memory = {};
    found.push_back({.name = text([&](char* buffer, unsigned size) {
                       return functions_->name(device, buffer, size);
                     }),
                     .memory_bytes = static_cast<std::int64_t>(memory.total)});
  }
  return found;
}

GpuUse Nvml::use(const std::string& address) const {
  Device device = nullptr;
  GpuUse use;
  if (functions_->by_address(address.c_str(), &device) != kSuccess) return use;
  Functions::Utilisation utilisation;
  if (functions_->utilisation(device, &utilisation) == kSuccess) use.percent = utilisation.gpu;
  Functions::Memory memory;
  if (functions_->memory(device, &memory) == kSuccess) {
    use.memory_bytes = static_cast<std::int64_t>(memory.used);
  }
  return use;
}

}  // namespace yoke

#include "yoke/report/machine/hardware.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "yoke/core/format.h"
#include "yoke/core/system/threads.h"
#include "yoke/report/machine/memory_limit.h"
#include "yoke/report/machine/nvml.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// The value of the first line `key<separator>value` of a file, without blanks and quotes around.
std::string value_of(const fs::path& path, std::string_view key, char separator) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const auto at = line.find(separator);
    if (at == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_last_not_of(" \t", at - 1) + 1 != key.size()) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    if (begin == std::string::npos) return "";
    return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return "";
}

std::vector<std::string> gpu_models(const Nvml* library) {
  std::vector<std::string> models;
  if (library != nullptr) {
    for (const auto& [name, memory_bytes] : library->gpus()) {
      models.push_back(memory_bytes > 0 ? fmt::format("{}, {}", name, format_bytes(memory_bytes))
                                        : name);
    }
    return models;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    const auto model = value_of(entry.path() / "information", "Model", ':');
    models.push_back(model.empty() ? "NVIDIA GPU" : model);
  }
  std::sort(models.begin(), models.end());
  return models;
}

}  // namespace

std::vector<std::string> speed_features(std::string_view flags) {
  constexpr std::array kNames = {
      // x86
      "sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw", "avx512vl",
      "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16", "amx_fp16",
      // Arm
      "asimd", "asimdhp", "asimddp", "sve", "sve2", "i8mm", "bf16", "sme"};
  std::istringstream stream{std::string(flags)};
  std::set<std::string> present;
  for (std::string flag; stream >> flag;) present.insert(flag);
  std::vector<std::string> features;
  std::copy_if(kNames.begin(), kNames.end(), std::back_inserter(features),
               [&](const char* name) { return present.contains(name); });
  return features;
}

Hardware hardware() {
  Hardware found;
  utsname system{};
  if (::uname(&system) == 0) {
    found.host = system.nodename;
    found.kernel = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  }
  found.cpu = value_of("/proc/cpuinfo", "model name", ':');
  if (found.cpu.empty()) found.cpu = system.machine;
  auto flags = value_of("/proc/cpuinfo", "flags", ':');
  if (flags.empty()) flags = value_of("/proc/cpuinfo", "Features", ':');
  found.cpu_features = speed_features(flags);
  const CpuBudget budget = cpu_budget();
  found.host_cores = budget.host_cores;
  found.cores = static_cast<int>(budget.cores.size());
  found.core_quota = budget.quota;
  found.memory_bytes =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  found.memory_limit_bytes = memory_limit_bytes();
  found.operating_system = value_of("/etc/os-release", "PRETTY_NAME", '=');
  if (found.operating_system.empty()) found.operating_system = system.sysname;
  const auto library = Nvml::open();
  found.gpus = gpu_models(library.get());
  if (library) found.gpu_driver = library->driver_version();
  return found;
}

void to_json(nlohmann::json& json, const Hardware& hardware) {
  json = {{"host", hardware.host},
          {hardware_key::kCpu, hardware.cpu},
          {hardware_key::kHostCores, hardware.host_cores},
          {hardware_key::kCores, hardware.cores},
          {hardware_key::kCoreQuota, hardware.core_quota},
          {hardware_key::kCpuFeatures, hardware.cpu_features},
          {hardware_key::kMemoryBytes, hardware.memory_bytes},
          {hardware_key::kMemoryLimitBytes, hardware.memory_limit_bytes},
          {"operating_system", hardware.operating_system},
          {"kernel", hardware.kernel},
          {"gpus", hardware.gpus},
          {"gpu_driver", hardware.gpu_driver}};
}

}  // namespace yoke

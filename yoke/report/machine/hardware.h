// yoke/report/machine/hardware.h: the machine a run is made on and the versions of what it is made
// with.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// What the process can see of its machine.
struct Hardware {
  std::string host;
  std::string cpu;        ///< Model name.
  int host_cores = 1;     ///< Online.
  int cores = 1;          ///< Those this process may run on.
  double core_quota = 0;  ///< Cores' worth of time the control group grants; 0: no limit.
  std::vector<std::string> cpu_features;  ///< Those that matter for speed: avx2, avx512_bf16, ...
  std::int64_t memory_bytes = 0;
  std::int64_t memory_limit_bytes = 0;  ///< Of the control group; 0: none.
  std::string operating_system;         ///< `Debian GNU/Linux 12 (bookworm)`.
  std::string kernel;                   ///< `Linux 6.1.0 x86_64`.
  std::vector<std::string> gpus;        ///< `NVIDIA A100-SXM4-40GB, 42.4 GB`.
  std::string gpu_driver;               ///< Its version; empty without one.
};

Hardware hardware();

void to_json(nlohmann::json& json, const Hardware& hardware);

/// Versions by name: yoke, libtorch, compiler, onednn, openmp, blas; cuda where LibTorch has it,
/// and nccl where Yoke was built with it.
std::map<std::string, std::string> versions();

/// Those of the flags of /proc/cpuinfo, split by blanks, that matter for speed, in a fixed order.
std::vector<std::string> speed_features(std::string_view flags);

}  // namespace yoke

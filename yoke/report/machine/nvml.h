// yoke/report/machine/nvml.h: what NVIDIA's driver tells of its GPUs, by its management library.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yoke {

/// A GPU of this machine.
struct GpuModel {
  std::string name;               ///< `NVIDIA A100-SXM4-40GB`.
  std::int64_t memory_bytes = 0;  ///< 0 where it does not tell.
};

/// What a GPU is doing, for all programs; nothing where it does not tell.
struct GpuUse {
  std::optional<std::int64_t> percent;  ///< Of the last second at most, with some kernel running.
  std::optional<std::int64_t> memory_bytes;
};

/// The library, loaded when asked for: Yoke is built without it, and most machines have none.
class Nvml {
 public:
  /// Null where `library` is not there, or finds no driver.
  static std::shared_ptr<const Nvml> open(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  std::string driver_version() const;  ///< `550.54.15`; empty where it does not tell.
  std::vector<GpuModel> gpus() const;  ///< All of the machine that this process may see.

  /// Of the GPU at a PCI address, `0000:3b:00.0`.
  GpuUse use(const std::string& address) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<const Functions> functions);

  const std::unique_ptr<const Functions> functions_;
};

}  // namespace yoke

// yoke/launch/agent/count_processes.cpp: how many ranks --nproc-per-node means on this host.
#include <torch/cuda.h>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/system/threads.h"
#include "yoke/launch/flags.h"

namespace yoke::launch {

int count_processes(const std::string& text) {
  const auto gpus =
      static_cast<int>(text == "gpu" || text == "auto" ? torch::cuda::device_count() : 0);
  if (text == "gpu" && gpus == 0) {
    throw UsageError(
        "--nproc-per-node gpu is given, but LibTorch finds no GPU here; give a number "
        "or cpu, or see yoke doctor");
  }
  if (gpus > 0) return gpus;
  if (text == "auto" || text == "cpu") return cpu_budget().threads(1);
  return parse_number<int>(text).value_or(1);
}

}  // namespace yoke::launch

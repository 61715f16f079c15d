#include "yoke/train/gpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"

namespace yoke {

int first_gpu(std::int64_t place, std::int64_t replicas, std::int64_t gpus) {
  const std::int64_t each = std::max<std::int64_t>(1, replicas);
  if (each > gpus) {
    throw UnavailableError(
        fmt::format("--replicas {} needs a GPU for each replica, but LibTorch sees {} here; give "
                    "--replicas {} or fewer, or --device cpu",
                    replicas, gpus, gpus));
  }
  return static_cast<int>(place % (gpus / each) * each);
}

}  // namespace yoke

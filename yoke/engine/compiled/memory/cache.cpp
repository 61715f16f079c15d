#include "yoke/engine/compiled/memory/cache.h"

#include <unistd.h>

namespace yoke::compiled {

std::size_t core_cache_bytes() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  constexpr std::size_t kUsual = std::size_t{1} << 20;
  return bytes > 0 ? static_cast<std::size_t>(bytes) : kUsual;
}

}  // namespace yoke::compiled

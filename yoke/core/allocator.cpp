#include "yoke/core/allocator.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <limits>

namespace yoke {

void keep_freed_memory() {
#ifdef __GLIBC__
  // glibc caps M_MMAP_THRESHOLD at 32 MiB, less than one activation: no block may be mapped alone.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace yoke

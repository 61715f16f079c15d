#include "yoke/core/system/allocator.h"

#include <limits>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace yoke {

void keep_freed_memory() {
#ifdef __GLIBC__
  // No block may be mapped alone, for such a block goes back to the kernel when it is freed.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

}  // namespace yoke

#include "yoke/engine/compiled/memory/aligned.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace yoke::compiled {

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  if (size == 0) return;
  constexpr std::size_t kLine = 64, kHugePage = 2 << 20;
  const std::size_t whole_lines = (size + kLine - 1) / kLine * kLine;
  void* data = nullptr;
  if (::posix_memalign(&data, size < kHugePage ? kLine : kHugePage, whole_lines) != 0) {
    throw std::bad_alloc();
  }
  data_.reset(static_cast<std::byte*>(data));
  // The rest of the last page is others'. Where the kernel has none, small pages will do.
  const std::size_t in_pages = size / kHugePage * kHugePage;
  if (in_pages > 0) ::madvise(data, in_pages, MADV_HUGEPAGE);
  std::memset(data, 0, whole_lines);
}

}  // namespace yoke::compiled

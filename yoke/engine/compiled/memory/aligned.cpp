#include "yoke/engine/compiled/memory/aligned.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace yoke::compiled {

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  constexpr std::size_t kLine = 64, kHugePage = 2 << 20;
  const std::size_t unit = size < kHugePage ? kLine : kHugePage;
  const std::size_t whole = (size + unit - 1) / unit * unit;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, whole)));
  if (data_ == nullptr && size > 0) throw std::bad_alloc();
  // Where the kernel has none, small pages will do.
  if (unit == kHugePage) ::madvise(data_.get(), whole, MADV_HUGEPAGE);
  if (size > 0) std::memset(data_.get(), 0, size);
}

}  // namespace yoke::compiled

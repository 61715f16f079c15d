#include "yoke/engine/compiled/memory/aligned.h"

#include <cstring>
#include <new>

namespace yoke::compiled {

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  constexpr std::size_t kLine = 64;
  const std::size_t whole_lines = (size + kLine - 1) / kLine * kLine;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kLine, whole_lines)));
  if (data_ == nullptr && size > 0) throw std::bad_alloc();
  if (size > 0) std::memset(data_.get(), 0, whole_lines);
}

}  // namespace yoke::compiled

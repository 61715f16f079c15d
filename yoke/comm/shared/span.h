// yoke/comm/shared/span.h: ranges of a tensor's bytes.
#pragma once
#include <torch/types.h>

#include <algorithm>
#include <cstddef>

namespace yoke::shared {

/// A range of bytes of a tensor.
struct Span {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end - begin; }
};

inline std::byte* bytes_of(const torch::Tensor& tensor) {
  return static_cast<std::byte*>(tensor.data_ptr());
}

/// How many elements of `tensor` a range of its bytes holds.
inline std::int64_t elements(const torch::Tensor& tensor, const Span& span) {
  return static_cast<std::int64_t>(span.size() / tensor.element_size());
}

/// What `rank` of `ranks` adds up of `whole`: whole cache lines, but for the last part.
inline Span part_of(const Span& whole, int rank, int ranks) {
  const std::size_t lines = (whole.size() / static_cast<std::size_t>(ranks) + 63) / 64 * 64;
  const std::size_t begin =
      std::min(whole.end, whole.begin + static_cast<std::size_t>(rank) * lines);
  const bool last = rank + 1 == ranks;
  return {begin, last ? whole.end : std::min(whole.end, begin + lines)};
}

}  // namespace yoke::shared

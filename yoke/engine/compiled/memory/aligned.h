// yoke/engine/compiled/memory/aligned.h: memory as vector instructions want it.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace yoke::compiled {

/// Owns zeroed bytes aligned to a cache line.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  /// @throws std::bad_alloc
  explicit AlignedBytes(std::size_t size);

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace yoke::compiled

// yoke/parallel/workers/shared_vector.h: numbers that ranks of a host change without locks.
#pragma once
#include <torch/types.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// A vector of fp32 numbers, by pairs in 64-bit words, each of which is read and written whole, in
/// no order (std::memory_order_relaxed). Who reads it while others add may see some of their
/// numbers and not others; two who add to the same pair at once may lose one of the two (Niu et al.
/// 2011, "Hogwild!", which needs no more).
class SharedVector {
 public:
  /// Zeros. All ranks call it alike. @throws UsageError when they are not of one host.
  SharedVector(const Group& group, std::int64_t elements);

  /// Becomes `values`, fp32 [elements]; for one rank while no other uses it.
  void set(const torch::Tensor& values);
  /// Copies the vector as it is to `values` and to `before`, both fp32 [elements].
  void read(const torch::Tensor& values, const torch::Tensor& before) const;
  /// Adds `values` - `before`; leaves alone where that is nothing.
  void add(const torch::Tensor& values, const torch::Tensor& before);

 private:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free);

  const std::int64_t elements_;
  const std::shared_ptr<std::byte> memory_;
  Word* const words_;
};

}  // namespace yoke

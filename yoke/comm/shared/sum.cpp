#include "yoke/comm/shared/sum.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "yoke/core/error.h"
#include "yoke/core/vectorise.h"

namespace yoke::shared {
namespace {

/// Elements that stay in a core's nearest cache.
constexpr std::int64_t kBlock = 1024;

// Plain loops, one per type, for YOKE_VECTORISE is for functions that are no templates.
// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define YOKE_ADD(T)                                                                \
  YOKE_VECTORISE void add(const T* a, const T* b, std::int64_t count, T* sum) {    \
    for (std::int64_t i = 0; i < count; ++i) sum[i] = static_cast<T>(a[i] + b[i]); \
  }
YOKE_ADD(float)
YOKE_ADD(double)
YOKE_ADD(std::int64_t)
YOKE_ADD(std::int32_t)
YOKE_ADD(std::uint8_t)
#undef YOKE_ADD
// NOLINTEND(bugprone-macro-parentheses)

YOKE_VECTORISE void widen(const std::uint16_t* bf16, std::int64_t count, std::uint32_t* fp32) {
  for (std::int64_t i = 0; i < count; ++i) fp32[i] = std::uint32_t{bf16[i]} << 16;
}

// To nearest, ties to even; what is not a number stays so.
YOKE_VECTORISE void narrow(const std::uint32_t* fp32, std::int64_t count, std::uint16_t* bf16) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = fp32[i];
    const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const std::uint32_t nan = (bits >> 16) | 0x40;
    bf16[i] = static_cast<std::uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
  }
}

void to_float(const c10::BFloat16* from, std::int64_t count, float* to) {
  std::array<std::uint32_t, kBlock> bits;
  widen(reinterpret_cast<const std::uint16_t*>(from), count, bits.data());
  std::memcpy(to, bits.data(), static_cast<std::size_t>(count) * sizeof(float));
}
void from_float(const float* from, std::int64_t count, c10::BFloat16* to) {
  std::array<std::uint32_t, kBlock> bits;
  std::memcpy(bits.data(), from, static_cast<std::size_t>(count) * sizeof(float));
  narrow(bits.data(), count, reinterpret_cast<std::uint16_t*>(to));
}
void to_float(const c10::Half* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}
void from_float(const float* from, std::int64_t count, c10::Half* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = c10::Half(from[i]);
}

template <typename T>
const T* at(const std::byte* data, std::int64_t first) {
  return reinterpret_cast<const T*>(data) + first;
}

template <typename T>
void sum_block(const std::vector<const std::byte*>& sources, std::int64_t first, std::int64_t count,
               T* sum) {
  if (sources.size() == 2) {
    return add(at<T>(sources[0], first), at<T>(sources[1], first), count, sum);
  }
  std::array<T, kBlock> total;  // aside: the target may be a source
  add(at<T>(sources[0], first), at<T>(sources[1], first), count, total.data());
  for (std::size_t i = 2; i < sources.size(); ++i) {
    add(total.data(), at<T>(sources[i], first), count, total.data());
  }
  std::copy_n(total.data(), count, sum);
}

template <typename Half>
void sum_halves(const std::vector<const std::byte*>& sources, std::int64_t first,
                std::int64_t count, Half* sum) {
  std::array<float, kBlock> total, next;
  to_float(at<Half>(sources[0], first), count, total.data());
  for (std::size_t i = 1; i < sources.size(); ++i) {
    to_float(at<Half>(sources[i], first), count, next.data());
    add(total.data(), next.data(), count, total.data());
  }
  from_float(total.data(), count, sum);
}
void sum_block(const std::vector<const std::byte*>& sources, std::int64_t first, std::int64_t count,
               c10::BFloat16* sum) {
  sum_halves(sources, first, count, sum);
}
void sum_block(const std::vector<const std::byte*>& sources, std::int64_t first, std::int64_t count,
               c10::Half* sum) {
  sum_halves(sources, first, count, sum);
}

template <typename T>
void sum_all(const std::vector<const std::byte*>& sources, std::int64_t count,
             const std::vector<std::byte*>& targets) {
  for (std::int64_t first = 0; first < count; first += kBlock) {
    const std::int64_t here = std::min(kBlock, count - first);
    T* const sum = reinterpret_cast<T*>(targets.front()) + first;
    sum_block(sources, first, here, sum);
    for (std::size_t i = 1; i < targets.size(); ++i) {
      std::memcpy(reinterpret_cast<T*>(targets[i]) + first, sum,
                  static_cast<std::size_t>(here) * sizeof(T));
    }
  }
}

}  // namespace

void sum(torch::ScalarType type, const std::vector<const std::byte*>& sources, std::int64_t count,
         const std::vector<std::byte*>& targets) {
  switch (type) {
    case torch::kFloat32:
      return sum_all<float>(sources, count, targets);
    case torch::kFloat64:
      return sum_all<double>(sources, count, targets);
    case torch::kInt64:
      return sum_all<std::int64_t>(sources, count, targets);
    case torch::kInt32:
      return sum_all<std::int32_t>(sources, count, targets);
    case torch::kUInt8:
      return sum_all<std::uint8_t>(sources, count, targets);
    case torch::kBFloat16:
      return sum_all<c10::BFloat16>(sources, count, targets);
    case torch::kFloat16:
      return sum_all<c10::Half>(sources, count, targets);
    default:
      throw Error("this dtype cannot be summed");
  }
}

}  // namespace yoke::shared

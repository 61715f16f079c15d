// yoke/engine/compiled/kernels/lanes.h: sixteen numbers at a time, whatever the processor's width.
#pragma once
#include <cstdint>
#include <cstring>

// Every function here is inlined, so that no vector crosses an ABI.
#define YOKE_INLINE inline __attribute__((always_inline))

/// Of a lambda, which else is not compiled for the vectors of the function around it.
#define YOKE_INLINED __attribute__((always_inline))

namespace yoke::compiled {

inline constexpr std::int64_t kLanes = 16;

using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Words = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
using UnsignedWords = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
using Halves = std::uint16_t __attribute__((vector_size(kLanes * sizeof(std::uint16_t))));
using HalfPairs = std::uint16_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
using Bytes = std::uint8_t __attribute__((vector_size(kLanes)));

/// A bfloat16 number's bits: the upper half of a float's.
struct BFloat16 {
  std::uint16_t bits;
};

YOKE_INLINE Floats load(const float* from) {
  Floats lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}
YOKE_INLINE Floats load(const BFloat16* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  // Each behind a zero half: one permutation, where g++ 12 takes five steps to widen and shift.
  return (Floats)__builtin_shufflevector(Halves{}, halves, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                         6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                         14, 30, 15, 31);
}
YOKE_INLINE void store(Floats lanes, float* to) { std::memcpy(to, &lanes, sizeof lanes); }
YOKE_INLINE void store(Floats lanes, BFloat16* to) {
  const auto bits = (UnsignedWords)lanes;
  const UnsignedWords rounded = bits + 0x7fff + ((bits >> 16) & 1);  // to nearest, ties to even
  const auto pairs = (HalfPairs)rounded;
  const Halves halves = __builtin_shufflevector(pairs, pairs, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                                23, 25, 27, 29, 31);
  std::memcpy(to, &halves, sizeof halves);
}
// Bytes by way of halves, for g++ 12 moves each by itself between bytes and words.
template <typename Lanes>
YOKE_INLINE Lanes load_bytes(const std::uint8_t* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(__builtin_convertvector(bytes, Halves), Lanes);
}
YOKE_INLINE void store_bytes(Words lanes, std::uint8_t* to) {
  const Bytes bytes = __builtin_convertvector(__builtin_convertvector(lanes, Halves), Bytes);
  std::memcpy(to, &bytes, sizeof bytes);
}

// Numbers that are only moved need no arithmetic: their bits.

YOKE_INLINE UnsignedWords load_bits(const float* from) { return (UnsignedWords)load(from); }
YOKE_INLINE Halves load_bits(const BFloat16* from) {
  Halves halves;
  std::memcpy(&halves, from, sizeof halves);
  return halves;
}
template <typename T, typename Bits>
YOKE_INLINE void store_bits(Bits bits, T* to) {
  std::memcpy(to, &bits, sizeof bits);
}

/// The first `count` lanes, of at most kLanes; the others are zero.
template <typename T>
YOKE_INLINE Floats load_some(const T* from, std::int64_t count) {
  if (count >= kLanes) return load(from);
  T some[kLanes] = {};
  std::memcpy(some, from, static_cast<std::size_t>(count) * sizeof(T));
  return load(some);
}
template <typename T>
YOKE_INLINE void store_some(Floats lanes, T* to, std::int64_t count) {
  if (count >= kLanes) return store(lanes, to);
  T some[kLanes];
  store(lanes, some);
  std::memcpy(to, some, static_cast<std::size_t>(count) * sizeof(T));
}
YOKE_INLINE Words load_some_bytes(const std::uint8_t* from, std::int64_t count) {
  if (count >= kLanes) return load_bytes<Words>(from);
  std::uint8_t some[kLanes] = {};
  std::memcpy(some, from, static_cast<std::size_t>(count));
  return load_bytes<Words>(some);
}
YOKE_INLINE void store_some_bytes(Words lanes, std::uint8_t* to, std::int64_t count) {
  if (count >= kLanes) return store_bytes(lanes, to);
  std::uint8_t some[kLanes];
  store_bytes(lanes, some);
  std::memcpy(to, some, static_cast<std::size_t>(count));
}

}  // namespace yoke::compiled

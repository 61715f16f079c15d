#include "yoke/engine/compiled/kernels/dropout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "yoke/core/vectorise.h"
#include "yoke/engine/compiled/kernels/lanes.h"

namespace yoke::compiled {
namespace {

using Wide = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

/// Both halves of lane-wise products.
YOKE_INLINE void multiply(UnsignedWords a, std::uint32_t b, UnsignedWords& high,
                          UnsignedWords& low) {
  const Wide product = __builtin_convertvector(a, Wide) * std::uint64_t{b};
  high = __builtin_convertvector(product >> 32, UnsignedWords);
  low = __builtin_convertvector(product, UnsignedWords);
}

/// Sixteen counters, and then their random numbers.
struct Counters {
  UnsignedWords a, b, c, d;
};

/// Philox4x32-10.
YOKE_INLINE void philox(Counters& words, std::uint64_t key) {
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    UnsignedWords high0, low0, high1, low1;
    multiply(words.a, 0xD2511F53U, high0, low0);
    multiply(words.c, 0xCD9E8D57U, high1, low1);
    words = {high1 ^ words.b ^ key0, low1, high0 ^ words.d ^ key1, low0};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
}

/// 1 or 0.
YOKE_INLINE UnsignedWords is_kept(UnsignedWords random, std::uint32_t threshold) {
  return random >= threshold ? UnsignedWords{} + 1U : UnsignedWords{};
}

YOKE_VECTORISE void draw(std::uint64_t stream, std::uint32_t layer, std::uint32_t image,
                         std::uint32_t threshold, std::int64_t count, std::uint8_t* keep) {
  UnsignedWords lane{};
  for (std::uint32_t i = 0; i < kLanes; ++i) lane[i] = i;
  for (std::int64_t block = 0; block * 4 < count; block += kLanes) {
    Counters words{lane + static_cast<std::uint32_t>(block), UnsignedWords{} + image,
                   UnsignedWords{} + layer, UnsignedWords{}};
    philox(words, stream);
    // One 32-bit lane holds the four bytes of its four elements.
    const UnsignedWords bytes = is_kept(words.a, threshold) | is_kept(words.b, threshold) << 8 |
                                is_kept(words.c, threshold) << 16 |
                                is_kept(words.d, threshold) << 24;
    std::memcpy(keep + block * 4, &bytes, sizeof bytes);
  }
}

/// How to walk through a tensor.
struct Walk {
  std::int64_t batch, channels, area, block, stride;
  bool whole_channels;
};

template <typename T>
YOKE_INLINE void apply_all(const T* input, const std::uint8_t* keep, const Walk& walk, float scale,
                           T* result) {
  for (std::int64_t n = 0; n < walk.batch; ++n, keep += walk.stride) {
    for (std::int64_t first = 0; first < walk.channels; first += walk.block) {
      for (std::int64_t pixel = 0; pixel < walk.area; ++pixel) {
        for (std::int64_t c = 0; c < walk.block; c += kLanes) {
          const std::int64_t count = std::min(kLanes, walk.block - c);
          Floats factor{};
          const std::int64_t real = std::min(count, walk.channels - first - c);
          for (std::int64_t i = 0; i < real; ++i) {
            const std::int64_t channel = first + c + i;
            factor[i] =
                keep[walk.whole_channels ? channel : channel * walk.area + pixel] != 0 ? scale : 0;
          }
          store_some(load_some(input + c, count) * factor, result + c, count);
        }
        input += walk.block;
        result += walk.block;
      }
    }
  }
}

/// The same where elements lie in the order of `keep`.
template <typename T>
YOKE_INLINE void apply_in_order(const T* input, const std::uint8_t* keep, const Walk& walk,
                                float scale, T* result) {
  const std::int64_t elements = walk.channels * walk.area;
  for (std::int64_t n = 0; n < walk.batch; ++n, keep += walk.stride) {
    for (std::int64_t i = 0; i < elements; i += kLanes) {
      const std::int64_t count = std::min(kLanes, elements - i);
      const Floats factor = __builtin_convertvector(load_some_bytes(keep + i, count), Floats);
      store_some(load_some(input + i, count) * factor * scale, result + i, count);
    }
    input += elements;
    result += elements;
  }
}

YOKE_VECTORISE void apply_floats(const float* input, const std::uint8_t* keep, const Walk& walk,
                                 float scale, float* result) {
  apply_all(input, keep, walk, scale, result);
}
YOKE_VECTORISE void apply_bf16(const BFloat16* input, const std::uint8_t* keep, const Walk& walk,
                               float scale, BFloat16* result) {
  apply_all(input, keep, walk, scale, result);
}
YOKE_VECTORISE void apply_floats_in_order(const float* input, const std::uint8_t* keep,
                                          const Walk& walk, float scale, float* result) {
  apply_in_order(input, keep, walk, scale, result);
}
YOKE_VECTORISE void apply_bf16_in_order(const BFloat16* input, const std::uint8_t* keep,
                                        const Walk& walk, float scale, BFloat16* result) {
  apply_in_order(input, keep, walk, scale, result);
}

}  // namespace

void draw_kept(const DropoutKey& key, double probability, std::int64_t count,
               std::uint8_t* keep) {
  const double threshold = std::min(std::ldexp(probability, 32), 4294967295.0);
  draw(key.stream, key.layer, key.image, static_cast<std::uint32_t>(threshold), count, keep);
}

void apply_dropout(const Tensor& input, const std::uint8_t* keep, std::int64_t stride,
                   bool channels, float scale, const Tensor& result) {
  const Walk walk{input.batch, input.shape.channels, input.area(), input.block, stride, channels};
  const bool in_order = !channels && (walk.block == 1 || walk.area == 1) &&
                        walk.channels % walk.block == 0;
  if (input.is_bf16()) {
    (in_order ? apply_bf16_in_order : apply_bf16)(input.data<BFloat16>(), keep, walk, scale,
                                                  result.data<BFloat16>());
  } else {
    (in_order ? apply_floats_in_order : apply_floats)(input.data<float>(), keep, walk, scale,
                                                      result.data<float>());
  }
}

}  // namespace yoke::compiled

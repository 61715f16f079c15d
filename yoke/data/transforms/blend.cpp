#include "yoke/data/transforms/blend.h"

#include <algorithm>

#include "yoke/core/vectorise.h"

namespace yoke {
namespace {

std::uint8_t cut(float value) {
  return static_cast<std::uint8_t>(
      static_cast<std::int32_t>(std::min(std::max(value, 0.0F), 255.0F)));
}

YOKE_VECTORISE
void mix(const std::uint8_t* image, const std::uint8_t* other, float weight, float rest,
         std::size_t count, std::uint8_t* output) {
  for (std::size_t i = 0; i < count; ++i) {
    output[i] = cut(weight * static_cast<float>(image[i]) + rest * static_cast<float>(other[i]));
  }
}

YOKE_VECTORISE
void scale_and_add(const std::uint8_t* image, float weight, float constant, std::size_t count,
                   std::uint8_t* output) {
  for (std::size_t i = 0; i < count; ++i) {
    output[i] = cut(weight * static_cast<float>(image[i]) + constant);
  }
}

}  // namespace

void blend(std::span<const std::uint8_t> image, std::span<const std::uint8_t> other, double ratio,
           std::span<std::uint8_t> output) {
  mix(image.data(), other.data(), static_cast<float>(ratio), static_cast<float>(1 - ratio),
      image.size(), output.data());
}

void blend(std::span<const std::uint8_t> image, float other, double ratio,
           std::span<std::uint8_t> output) {
  scale_and_add(image.data(), static_cast<float>(ratio), static_cast<float>(1 - ratio) * other,
                image.size(), output.data());
}

}  // namespace yoke

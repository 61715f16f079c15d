#include "yoke/data/transforms/colour_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "yoke/core/vectorise.h"
#include "yoke/data/transforms/blend.h"

namespace yoke {
namespace {

constexpr std::size_t kPiece = 4096;  // pixels; stays in the first cache

YOKE_VECTORISE
void grey_of(const std::uint8_t* __restrict red, const std::uint8_t* __restrict green,
             const std::uint8_t* __restrict blue, std::size_t count,
             std::uint8_t* __restrict output) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = 0.2989F * static_cast<float>(red[i]) +
                        0.587F * static_cast<float>(green[i]) +
                        0.114F * static_cast<float>(blue[i]);
    output[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(value));
  }
}

/// Calls `use(begin, grey)` with the greys of all pixels of an image in three planes, in pieces.
template <typename Use>
void for_each_grey(std::span<const std::uint8_t> image, const Use& use) {
  const std::size_t plane = image.size() / 3;
  std::array<std::uint8_t, kPiece> grey;
  for (std::size_t begin = 0; begin < plane; begin += kPiece) {
    const std::size_t count = std::min(kPiece, plane - begin);
    const std::uint8_t* const red = image.data() + begin;
    grey_of(red, red + plane, red + 2 * plane, count, grey.data());
    use(begin, std::span<const std::uint8_t>(grey).first(count));
  }
}

float mean_grey(const ImageShape& shape, std::span<const std::uint8_t> image) {
  std::uint64_t sum = 0;
  const auto add = [&sum](std::size_t, std::span<const std::uint8_t> grey) {
    sum += std::accumulate(grey.begin(), grey.end(), std::uint32_t{0});
  };
  if (shape.channels == 3) {
    for_each_grey(image, add);
  } else {
    for (std::size_t begin = 0; begin < image.size(); begin += kPiece) {
      add(begin, image.subspan(begin, std::min(kPiece, image.size() - begin)));
    }
  }
  return static_cast<float>(sum) / static_cast<float>(shape.height * shape.width);
}

YOKE_VECTORISE
void invert_from(const std::uint8_t* __restrict input, std::uint8_t least, std::size_t count,
                 std::uint8_t* __restrict output) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto inverted = static_cast<std::uint8_t>(255 - input[i]);
    output[i] = input[i] >= least ? inverted : input[i];
  }
}

struct Levels {
  std::uint8_t least = 255, most = 0;
};

YOKE_VECTORISE
Levels find_levels(const std::uint8_t* input, std::size_t count) {
  Levels levels;
  for (std::size_t i = 0; i < count; ++i) {
    levels.least = input[i] < levels.least ? input[i] : levels.least;
    levels.most = input[i] > levels.most ? input[i] : levels.most;
  }
  return levels;
}

YOKE_VECTORISE
void stretch(const std::uint8_t* __restrict input, float least, float scale, std::size_t count,
             std::uint8_t* __restrict output) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = (static_cast<float>(input[i]) - least) * scale;
    output[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(std::min(value, 255.0F)));
  }
}

}  // namespace

void adjust_brightness(const ImageShape&, double factor, std::span<const std::uint8_t> input,
                       std::span<std::uint8_t> output) {
  blend(input, 0, factor, output);
}

void adjust_saturation(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                       std::span<std::uint8_t> output) {
  if (shape.channels != 3) {
    std::ranges::copy(input, output.begin());
    return;
  }
  for_each_grey(input, [&](std::size_t begin, std::span<const std::uint8_t> grey) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const std::size_t place = channel * (input.size() / 3) + begin;
      blend(input.subspan(place, grey.size()), grey, factor, output.subspan(place, grey.size()));
    }
  });
}

void adjust_contrast(const ImageShape& shape, double factor, std::span<const std::uint8_t> input,
                     std::span<std::uint8_t> output) {
  blend(input, mean_grey(shape, input), factor, output);
}

void posterize(int bits, std::span<const std::uint8_t> input, std::span<std::uint8_t> output) {
  const auto mask = static_cast<std::uint8_t>(0xFF00 >> bits);
  std::ranges::transform(input, output.begin(), [mask](std::uint8_t value) {
    return static_cast<std::uint8_t>(value & mask);
  });
}

void solarize(double threshold, std::span<const std::uint8_t> input,
              std::span<std::uint8_t> output) {
  invert_from(input.data(), static_cast<std::uint8_t>(std::ceil(threshold)), input.size(),
              output.data());
}

void autocontrast(const ImageShape& shape, std::span<const std::uint8_t> input,
                  std::span<std::uint8_t> output) {
  const auto plane = static_cast<std::size_t>(shape.height * shape.width);
  for (std::size_t begin = 0; begin < input.size(); begin += plane) {
    const auto channel = input.subspan(begin, plane);
    const auto [least, most] = find_levels(channel.data(), plane);
    const bool flat = least == most;
    // torchvision's 255 / (most - least) is that in fp32: the reciprocal, times 255.
    const float scale = flat ? 1 : 1 / static_cast<float>(most - least) * 255;
    stretch(channel.data(), flat ? 0 : least, scale, plane, output.data() + begin);
  }
}

}  // namespace yoke

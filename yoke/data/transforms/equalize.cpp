#include "yoke/data/transforms/equalize.h"

#include <algorithm>
#include <array>

namespace yoke {
namespace {

constexpr std::size_t kLevels = 256;
using LevelCounts = std::array<std::uint32_t, kLevels>;

LevelCounts count_levels(std::span<const std::uint8_t> channel) {
  // Neighbours are often alike; counted apart, none waits for the other's sum.
  LevelCounts even{}, odd{};
  std::size_t i = 0;
  for (; i + 1 < channel.size(); i += 2) {
    ++even[channel[i]];
    ++odd[channel[i + 1]];
  }
  if (i < channel.size()) ++even[channel[i]];
  for (std::size_t level = 0; level < kLevels; ++level) even[level] += odd[level];
  return even;
}

void equalize_channel(std::span<const std::uint8_t> input, std::uint8_t* output) {
  const LevelCounts counts = count_levels(input);
  const auto greatest = *std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n > 0; });
  const std::size_t step = (input.size() - greatest) / (kLevels - 1);
  if (step == 0) {
    std::ranges::copy(input, output);
    return;
  }
  std::array<std::uint8_t, kLevels> levels;
  std::size_t below = 0;  // pixels of lower levels
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::size_t mapped = level == 0 ? 0 : (below + step / 2) / step;
    levels[level] = static_cast<std::uint8_t>(std::min(mapped, kLevels - 1));
    below += counts[level];
  }
  std::ranges::transform(input, output, [&](std::uint8_t value) { return levels[value]; });
}

}  // namespace

void equalize(const ImageShape& shape, std::span<const std::uint8_t> input,
              std::span<std::uint8_t> output) {
  const auto plane = static_cast<std::size_t>(shape.height * shape.width);
  for (std::size_t begin = 0; begin < input.size(); begin += plane) {
    equalize_channel(input.subspan(begin, plane), output.data() + begin);
  }
}

}  // namespace yoke

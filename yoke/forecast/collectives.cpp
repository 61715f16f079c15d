#include "yoke/forecast/collectives.h"

#include <bit>

namespace yoke::forecast {

Sent ring_half(std::int64_t ranks, double bytes) {
  const auto p = static_cast<double>(ranks);
  return {.messages = p - 1, .bytes = bytes * (p - 1) / p};
}

Sent ring_all_reduce(std::int64_t ranks, double bytes) {
  const Sent half = ring_half(ranks, bytes);
  return {.messages = 2 * half.messages, .bytes = 2 * half.bytes};
}

Sent halving_doubling_all_reduce(std::int64_t ranks, double bytes) {
  const auto power = std::bit_floor(static_cast<std::uint64_t>(ranks));
  const auto p = static_cast<double>(power);
  const bool folds = static_cast<std::int64_t>(power) != ranks;
  return {.messages = 2.0 * (std::bit_width(power) - 1) + (folds ? 2 : 0),
          .bytes = 2 * bytes * (p - 1) / p + (folds ? 2 * bytes : 0)};
}

}  // namespace yoke::forecast

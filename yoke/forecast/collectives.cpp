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

Sent tree_all_reduce(std::int64_t ranks, double bytes) {
  const double messages = 2.0 * std::bit_width(static_cast<std::uint64_t>(ranks - 1));
  return {.messages = messages, .bytes = messages * bytes};
}

}  // namespace yoke::forecast

#include "yoke/core/random.h"

#include <cmath>
#include <numbers>

namespace yoke {
namespace {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint32_t rank, std::uint64_t step,
                           Purpose purpose)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, (static_cast<std::uint32_t>(purpose) << 24) | rank,
               static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)} {}

RandomStream::result_type RandomStream::operator()() {
  if (used_ == 4) {
    block_ = philox(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Lemire 2019: multiply instead of divide, reject the few values that would bias the result.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const auto product = static_cast<unsigned __int128>(next_64()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint32_t rank, std::uint64_t step,
                          Purpose purpose) {
  return RandomStream(seed, rank, step, purpose).next_64();
}

}  // namespace yoke

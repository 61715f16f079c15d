// yoke/core/random.h: random streams that depend on (seed, rank, step, purpose) and nothing else.
//
// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
#pragma once
#include <array>
#include <cstdint>
#include <limits>

namespace yoke {

/// What a stream is for, so that two uses at the same step never share numbers.
enum class Purpose : std::uint32_t {
  kInitialise = 1,
  kShuffle,
  kAugment,
  kDropout,
  kGlyphs,
  kTest,
  kMix,
  kSearch
};

/// A random stream as a value: equal keys give equal numbers, on any machine, in any order of use.
/// Meets UniformRandomBitGenerator.
class RandomStream {
 public:
  /// `step` may be any 64-bit index (a step, an epoch, an image); `rank` is below 2^24.
  RandomStream(std::uint64_t seed, std::uint32_t rank, std::uint64_t step, Purpose purpose);

  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  std::uint64_t next_64() { return (std::uint64_t{(*this)()} << 32) | (*this)(); }
  double uniform() { return static_cast<double>(next_64() >> 11) * 0x1.0p-53; }  ///< In [0, 1).
  double uniform(double least, double most) { return least + (most - least) * uniform(); }
  std::uint64_t below(std::uint64_t bound);  ///< Unbiased, in [0, bound); `bound` at least 1.
  double normal();                           ///< Mean 0, standard deviation 1 (Box-Muller).

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
};

/// A 64-bit seed for a generator of another library, from the same key.
std::uint64_t stream_seed(std::uint64_t seed, std::uint32_t rank, std::uint64_t step,
                          Purpose purpose);

}  // namespace yoke

// yoke/data/epoch_order.h: in what order an epoch takes its images, and which of them how often.
#pragma once
#include <cstdint>
#include <vector>

namespace yoke {

/// Each of `images` once, in an order drawn for `seed` and `epoch`.
std::vector<std::int64_t> shuffled_order(std::int64_t images, std::uint64_t seed,
                                         std::int64_t epoch);

/// As many images as there are weights, each about as often as its share of their sum says: so
/// often on average, in each epoch that number rounded down or up (systematic sampling, Madow and
/// Madow 1944). Those that are there are shuffled likewise, so equal weights give shuffled_order().
class WeightedOrder {
 public:
  /// @throws UsageError unless all `weights` are finite and at least 0, and one is more.
  explicit WeightedOrder(const std::vector<double>& weights);

  std::int64_t images() const { return static_cast<std::int64_t>(expected_until_.size()); }

  std::vector<std::int64_t> draw(std::uint64_t seed, std::int64_t epoch) const;

 private:
  std::vector<double> expected_until_;  // images expected of the first 1, 2, ... together
};

}  // namespace yoke

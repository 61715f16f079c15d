#include "yoke/data/epoch_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/random.h"

namespace yoke {
namespace {

constexpr std::uint32_t kOffsetStream = 1;  // that of the shuffle is 0

// Fisher and Yates's shuffle, from the last place down (Durstenfeld 1964).
void shuffle(std::vector<std::int64_t>& order, std::uint64_t seed, std::int64_t epoch) {
  RandomStream random(seed, 0, static_cast<std::uint64_t>(epoch), Purpose::kShuffle);
  for (std::size_t last = order.size(); last-- > 1;) {
    std::swap(order[last], order[random.below(last + 1)]);
  }
}

}  // namespace

std::vector<std::int64_t> shuffled_order(std::int64_t images, std::uint64_t seed,
                                         std::int64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(images));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, seed, epoch);
  return order;
}

WeightedOrder::WeightedOrder(const std::vector<double>& weights) : expected_until_(weights.size()) {
  const bool fit = std::all_of(weights.begin(), weights.end(),
                               [](double weight) { return std::isfinite(weight) && weight >= 0; });
  std::partial_sum(weights.begin(), weights.end(), expected_until_.begin());
  const double sum = weights.empty() ? 0 : expected_until_.back();
  if (!fit || !(sum > 0)) {
    throw UsageError(
        "the weights by which images are drawn are not all finite numbers of at least 0, or all "
        "images weigh 0; give those of at least one class of the training images more than 0");
  }
  const auto images = static_cast<double>(weights.size());
  for (double& until : expected_until_) {
    until = until < sum ? std::min(until * images / sum, images) : images;
  }
}

std::vector<std::int64_t> WeightedOrder::draw(std::uint64_t seed, std::int64_t epoch) const {
  const double offset =
      RandomStream(seed, kOffsetStream, static_cast<std::uint64_t>(epoch), Purpose::kShuffle)
          .uniform();
  std::vector<std::int64_t> order;
  order.reserve(expected_until_.size());
  for (std::size_t i = 0; i < expected_until_.size(); ++i) {
    const auto until = static_cast<std::size_t>(expected_until_[i] + offset);
    while (order.size() < until) order.push_back(static_cast<std::int64_t>(i));
  }
  shuffle(order, seed, epoch);
  return order;
}

}  // namespace yoke

#include "yoke/train/each_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "yoke/core/format.h"

namespace yoke {
namespace {

/// Of at least one number.
double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

}  // namespace

std::optional<std::string> line_of_each_rank(const Metrics& validation) {
  const auto& top1 = validation.rank_top1;
  if (top1.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(top1.begin(), top1.end());
  return fmt::format(
      "ranks      {} by themselves: {:.2f} to {:.2f} % right, {:.2f} % in the mean; the mean of "
      "their parameters: {:.2f} %",
      format_count(static_cast<std::int64_t>(top1.size()), "rank"), 100 * *least, 100 * *most,
      100 * mean_of(top1), 100 * validation.top1);
}

nlohmann::ordered_json each_rank_json(const std::vector<double>& top1) {
  const auto [least, most] = std::minmax_element(top1.begin(), top1.end());
  return {{"least", *least}, {"mean", mean_of(top1)}, {"most", *most}, {"each", top1}};
}

}  // namespace yoke

#include "yoke/train/each_rank.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yoke/core/format.h"
#include "yoke/run/ranks_alone.h"

namespace yoke {

std::optional<std::string> line_of_each_rank(const Metrics& validation) {
  const auto& top1 = validation.rank_top1;
  if (top1.size() < 2) return std::nullopt;
  const RanksAlone alone = ranks_alone(top1);
  return fmt::format(
      "ranks      {} by themselves: {:.2f} to {:.2f} % right, {:.2f} % in the mean; the mean of "
      "their parameters: {:.2f} %",
      format_count(static_cast<std::int64_t>(top1.size()), "rank"), 100 * alone.least,
      100 * alone.most, 100 * alone.mean, 100 * validation.top1);
}

nlohmann::ordered_json each_rank_json(const std::vector<double>& top1) {
  const RanksAlone alone = ranks_alone(top1);
  return {{"least", alone.least}, {"mean", alone.mean}, {"most", alone.most}, {"each", top1}};
}

}  // namespace yoke

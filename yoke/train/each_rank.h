// yoke/train/each_rank.h: what ranks that train by themselves are worth beside their mean.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "yoke/run/metrics.h"

namespace yoke {

/// A line for people; nothing unless several ranks were measured by themselves.
std::optional<std::string> line_of_each_rank(const Metrics& validation);

/// For summary.json: `least`, `mean` and `most` of the ranks' accuracies, and `each` by rank.
nlohmann::ordered_json each_rank_json(const std::vector<double>& top1);

}  // namespace yoke

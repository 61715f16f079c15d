// apps/yoke/forecast_output.h: predictions as a table and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yoke/forecast/prediction.h"
#include "yoke/forecast/scaling.h"

namespace yoke {

/// A line per number of hosts, with a heading.
std::string prediction_table(const std::vector<forecast::Prediction>& rows);

/// The same with all that is known, see docs/forecast.md.
nlohmann::ordered_json to_json(const std::vector<forecast::Prediction>& rows);

/// Where scaling ends; null where it does not.
nlohmann::ordered_json to_json(const std::optional<forecast::ScalingEnd>& end);

/// Strategies side by side, the fastest first.
nlohmann::ordered_json to_json(const std::vector<forecast::StrategyChoice>& choices);

}  // namespace yoke

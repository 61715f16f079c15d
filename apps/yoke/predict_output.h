// apps/yoke/predict_output.h: predictions as a table and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yoke/predict/prediction.h"
#include "yoke/predict/scaling.h"

namespace yoke {

/// A line per number of hosts, with a heading.
std::string prediction_table(const std::vector<predict::Prediction>& rows);

/// The same with all that is known, see docs/predict.md.
nlohmann::ordered_json to_json(const std::vector<predict::Prediction>& rows);

/// Where scaling ends; null where it does not.
nlohmann::ordered_json to_json(const std::optional<predict::ScalingEnd>& end);

/// Strategies side by side, the fastest first.
nlohmann::ordered_json to_json(const std::vector<predict::StrategyChoice>& choices);

}  // namespace yoke

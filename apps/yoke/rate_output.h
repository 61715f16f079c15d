// apps/yoke/rate_output.h: what `yoke find-lr` says.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "apps/yoke/rate_trial.h"
#include "yoke/study/rate_test.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// Tells of model, data, step and engine, a line each, and begins a table of rates.
void print_trial(const TrainConfig& config, RateTrial& trial, const study::RateRange& range);

/// The latest step as a row of the table, where it is one of those that are shown.
void print_step(const study::RateTest& test);

/// Why the test ended, and the rates that it suggests; `command` trains with the first of them.
void print_suggestions(const study::RateTest& test, const std::string& command);

/// All that was found, `command` as above; null in place of what there is not.
nlohmann::ordered_json to_json(const TrainConfig& config, const RateTrial& trial,
                               const study::RateTest& test, const std::string& command);

}  // namespace yoke

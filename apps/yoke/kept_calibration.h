// apps/yoke/kept_calibration.h: the calibration that a prediction reads, from a file or made now.
#pragma once
#include <cstdint>
#include <vector>

#include "apps/yoke/forecast_flags.h"
#include "yoke/forecast/prediction.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// The calibration for `job` on from the first to the last of `hosts`: from the file or the cache,
/// or measured now and kept there; prints which. @throws UsageError where one that was kept does
/// not fit, or the job cannot run on these hosts.
forecast::Calibration calibrated(const GivenPrediction& given, const TrainConfig& config,
                                 const forecast::Job& job, const std::vector<std::int64_t>& hosts);

}  // namespace yoke

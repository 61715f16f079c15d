// apps/yoke/calibrate.h: measures what `yoke forecast` begins with, by `yoke bench`.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yoke/forecast/calibration.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// What a prediction needs measured.
struct CalibrationWanted {
  TrainConfig config;
  std::vector<std::int64_t> images;          ///< A rank's, in a step.
  std::vector<std::pair<int, int>> layouts;  ///< Ranks and threads of each.
  std::vector<std::string> communicators;
  double seconds = 1;  ///< For each measurement, about.
};

/// This machine, this program and the flags that decide a step of `wanted`: a calibration in which
/// nothing was measured yet.
forecast::Calibration describe_calibration(const CalibrationWanted& wanted);

/// Whether `calibration` lacks a layout or communicator that is wanted.
bool lacks(const forecast::Calibration& calibration, const CalibrationWanted& wanted);

/// Measures what `calibration` lacks, and sets its date. Says on standard error what it does.
/// @throws Error when a measurement fails.
void complete(forecast::Calibration& calibration, const CalibrationWanted& wanted);

}  // namespace yoke

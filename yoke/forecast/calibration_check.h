// yoke/forecast/calibration_check.h: whether a calibration is one.
#pragma once
#include "yoke/forecast/calibration.h"

namespace yoke::forecast {

/// @throws Error that names a number which nothing can have measured, with what is allowed, or a
/// list that is empty or not ascending.
void check_calibration(const Calibration& calibration);

}  // namespace yoke::forecast

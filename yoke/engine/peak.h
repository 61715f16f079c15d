// yoke/engine/peak.h: what the processor can do at most.
#pragma once
#include "yoke/engine/precision.h"

namespace yoke {

/// Floating point operations per second of `threads` threads that each multiply matrices that fit
/// their cache, the best of several tries of some milliseconds each: what oneDNN reaches where
/// nothing is in its way.
double measure_peak_flops(Precision precision, int threads);

}  // namespace yoke

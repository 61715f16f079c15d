// yoke/study/findings/findings.h: what the numbers say, in sentences.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/groups.h"

namespace yoke::study {

/// What can be said of one run: how far it came, how fast, how accurate, what it waited for.
std::vector<std::string> run_findings(const RunResults& run);

/// What its first rank used while it loaded, trained, evaluated and waited for checkpoints, and
/// what allocates and waits there: a sentence or two for each. None for a run without samples.
std::vector<std::string> phase_findings(const RunResults& run);

/// What can be said of points against each other: which is fastest, which most accurate, and
/// whether that is more than chance. None for a single point.
std::vector<std::string> comparison_findings(const Comparison& comparison);

/// Up to where more workers are faster, and what stands in the way; how time goes with batch size.
std::vector<std::string> scaling_findings(const Comparison& comparison);

}  // namespace yoke::study

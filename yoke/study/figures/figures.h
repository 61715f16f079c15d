// yoke/study/figures/figures.h: which graphs a report has.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/figures/figure.h"
#include "yoke/study/groups.h"

namespace yoke::study {

/// Loss and accuracy of runs over time and over epochs.
std::vector<Figure> learning_figures(const Comparison& comparison);

/// Time in steps by what it went into, and the whole time by phase.
std::vector<Figure> time_figures(const Comparison& comparison);

/// Time and accuracy of each point, speed-up and efficiency, time against batch size: what the
/// axes allow. None for a single point.
std::vector<Figure> comparison_figures(const Comparison& comparison);

/// What each point has less or more than the base in accuracy, run for run with the same seed; none
/// where there is no base.
std::vector<Figure> difference_figures(const Comparison& comparison);

/// Processor, memory, network and disk of a run over time; `suffix` ends the names of the files.
std::vector<Figure> resource_figures(const RunResults& run, const std::string& suffix);

/// Accuracy per class and the confusion matrix of a run.
std::vector<Figure> class_figures(const RunResults& run, const std::string& suffix);

/// Accuracy of a run against its confidence; none of a run that did not tell of that.
std::vector<Figure> confidence_figures(const RunResults& run, const std::string& suffix);

}  // namespace yoke::study

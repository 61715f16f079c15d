// yoke/study/search/trial_figures.h: graphs of the trials of a search.
#pragma once
#include <vector>

#include "yoke/study/figures/figure.h"
#include "yoke/study/search/trials.h"

namespace yoke::study {

/// The metric of each trial in the order of drawing, with the best so far; and over the values of
/// each axis that trials differ in. None where no trial has completed.
std::vector<Figure> trial_figures(const SearchPlan& search, const std::deque<Rung>& rungs,
                                  const std::vector<Trial>& trials);

}  // namespace yoke::study

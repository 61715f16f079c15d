// yoke/study/figures/rate_figure.h: the graph of a learning-rate range test.
#pragma once
#include <string>

#include "yoke/study/figures/figure.h"
#include "yoke/study/rate_test.h"

namespace yoke::study {

/// Loss of each step, and smoothed, over the learning rate, with the suggested rates; up to where
/// the test counts as diverged. `title` says of what training.
Figure rate_figure(const RateTest& test, const std::string& title);

}  // namespace yoke::study

// yoke/study/search/trials.h: what the trials of a search came to, the best first.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/search/rung.h"

namespace yoke::study {

/// A trial, and what it came to in each rung.
struct Trial {
  std::size_t place = 0;                           ///< In SearchPlan::study.points.
  const StudyPoint* point = nullptr;               ///< As it is in the last rung.
  std::vector<std::optional<double>> scores = {};  ///< A value for each rung, where it has one.

  std::string name() const { return "trial " + std::to_string(place + 1); }
  /// Of the last rung that it has one of.
  std::optional<double> score() const;
};

/// All trials: those that have come further before others, then by the search's metric, then by
/// number.
std::vector<Trial> trials_of(const SearchPlan& search, const std::deque<Rung>& rungs);

/// Places of the `count` best that have completed the last of `rungs`, in the order of trials.
std::vector<std::size_t> best_trials(const SearchPlan& search, const std::deque<Rung>& rungs,
                                     std::size_t count);

/// The axes that trials differ in, in order of their names.
std::vector<std::string> searched_axes(const SearchPlan& search);

/// `lr 0.0123, optimizer.weight_decay 0.0005`: what a trial has drawn.
std::string drawn_values(const SearchPlan& search, const Trial& trial);

}  // namespace yoke::study

// yoke/study/search/search_report.h: what a search found, in words, a table and graphs.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "yoke/study/report/document.h"
#include "yoke/study/search/trials.h"

namespace yoke::study {

/// The recipe of a trial, as it is trained in full; the seed is left to who trains it.
std::string trial_recipe(const SearchPlan& search, const Trial& trial);

/// What was drawn, which trial is best, and how little that may mean.
std::vector<std::string> search_sentences(const SearchPlan& search, const std::deque<Rung>& rungs,
                                          const std::vector<Trial>& trials);

/// The part of a report; `command` trains the best trial.
Section search_section(const SearchPlan& search, const std::deque<Rung>& rungs,
                       const std::vector<Trial>& trials, const std::string& command);

}  // namespace yoke::study

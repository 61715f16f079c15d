// yoke/study/search/rung.h: a round of a search: some of its trials, and the runs of these.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/jobs.h"
#include "yoke/study/search/search_plan.h"

namespace yoke::study {

/// Stays where it is, for its jobs point into its plan.
class Rung {
 public:
  /// `trials` are places in `search.study.points`; runs are below the folder `runs`.
  Rung(const SearchPlan& search, const RungSize& size, const std::vector<std::size_t>& trials,
       const std::filesystem::path& runs);
  Rung(const Rung&) = delete;
  Rung& operator=(const Rung&) = delete;

  const StudyPlan& study() const { return study_; }
  const std::vector<Job>& jobs() const { return jobs_; }
  /// `1 epoch`; empty where trials are run in full.
  const std::string& length() const { return length_; }

  /// The median of `number` over completed runs of the trial at place `trial`; nothing where none
  /// has it, or where the trial is not in this rung.
  std::optional<double> score(std::size_t trial, const std::string& number) const;

 private:
  StudyPlan study_;
  std::vector<std::size_t> trials_;  // one for each point
  std::vector<Job> jobs_;
  std::string length_;
};

}  // namespace yoke::study

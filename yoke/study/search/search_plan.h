// yoke/study/search/search_plan.h: trials drawn from the axes of a study file, in place of every
// combination.
//
// Random search: Bergstra & Bengio, "Random search for hyper-parameter optimization" (JMLR 2012).
// Successive halving: Li, Jamieson, DeSalvo, Rostamizadeh & Talwalkar, "Hyperband" (JMLR 2018).
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "yoke/study/plan.h"
#include "yoke/study/search/search_settings.h"

namespace yoke::study {

/// A search, read.
struct SearchPlan {
  StudyPlan study;  ///< A point for each trial: `trial=1`, `trial=2`.
  SearchSettings settings;
};

/// A round of successive halving.
struct RungSize {
  std::size_t trials = 0;
  std::optional<std::int64_t> epochs;  ///< Of each; nothing: what the file says.
};

/// Reads a study with [search]. What a trial draws for an axis depends on the seed, the trial and
/// the axis alone: more trials, or another axis, leave it as it was. Trials that draw what an
/// earlier one has are drawn again. @throws UsageError that names the file and the line.
SearchPlan read_search(const std::filesystem::path& path, const StudyRequest& request,
                       const CheckFlags& check);

/// From the first rung to the last, which has all epochs: of n trials of E epochs with r as the
/// factor, rung k of s (from 0) has n / r^k trials of E / r^(s-1-k) epochs, rounded down.
/// @throws UsageError where that leaves no trial or no epoch.
std::vector<RungSize> rungs_of(const SearchPlan& search);

}  // namespace yoke::study

// yoke/study/groups.h: runs that differ in their seed alone are repetitions of one point.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "yoke/run/run_results.h"
#include "yoke/study/findings/statistics.h"

namespace yoke::study {

/// What decides how a run goes, by name: its flags, `ranks`, `processor`.
using Settings = std::map<std::string, std::string>;

/// Repetitions of one point.
struct Repetitions {
  std::string label;             ///< What is its own: `batch-size 32, ranks 2`.
  Settings settings;             ///< Of the axes alone.
  std::vector<RunResults> runs;  ///< At least one.

  int completed() const;  ///< How many runs have.
  /// The run whose training took the median time, for graphs of a single run.
  const RunResults& typical() const;
  /// A number of summary.json over the repetitions that have it, where some have completed only
  /// over these; n is 0 where none has.
  Sample sample(const std::string& number) const;
};

/// Runs to compare.
struct Comparison {
  std::vector<std::string> axes;    ///< Settings that differ between runs.
  std::vector<Repetitions> groups;  ///< Ordered by the axes' values, numbers as numbers.
  std::string base = {};  ///< Label of the point that others are set against; empty: none is.
};

/// Whether a flag changes neither what is trained nor how.
bool is_silent(const std::string& flag);

/// What a run is given, apart from where it wrote, what it showed and its seed.
Settings settings_of(const RunResults& run);

/// A run, and settings that its files do not tell; `case` names a combination of flags and stands
/// for all of them.
struct NamedRun {
  RunResults run;
  Settings extra = {};
};

/// Sorts runs into groups. @throws Error for no run.
Comparison compare_runs(std::vector<NamedRun> runs);

/// `case first, batch-size 32, ranks default`: settings that tell a point apart, as words.
std::string label_of(const Settings& settings);

}  // namespace yoke::study

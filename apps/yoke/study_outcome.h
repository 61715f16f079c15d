// apps/yoke/study_outcome.h: what `yoke study` prints and writes when runs have ended.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/core/files/recipe.h"
#include "yoke/study/jobs.h"
#include "yoke/study/runner.h"

namespace yoke {

/// Prints a line at once.
void say(const std::string& line);

/// Checks flags as `yoke train` does. @throws UsageError that names `where`.
void check_flags(const std::vector<RecipeEntry>& flags, const std::string& where);

/// Runs what is not done, as children of this program that stop when a signal asks for it.
/// @throws UsageError where another process runs what goes into `out`.
study::RunnerResult run_study(const study::StudyPlan& plan, const std::vector<study::Job>& jobs,
                              const std::filesystem::path& out);

/// Writes study.csv, the summaries and the report of what there is so far into `out`, also of a
/// study that was stopped, and prints their names.
void write_outcome(const study::StudyPlan& plan, const std::vector<study::Job>& jobs,
                   const std::filesystem::path& out, const std::vector<std::string>& formats);

/// The exit status; tells how to go on where runs are left. @throws UsageError where a run ended
/// with wrong usage.
int study_status(const study::RunnerResult& result);

}  // namespace yoke

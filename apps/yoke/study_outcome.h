// apps/yoke/study_outcome.h: what `yoke study` prints and writes when runs have ended.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/core/files/file_lock.h"
#include "yoke/core/files/recipe.h"
#include "yoke/study/jobs.h"
#include "yoke/study/report/document.h"
#include "yoke/study/runner.h"

namespace yoke {

/// Prints a line at once.
void say(const std::string& line);

/// Checks flags as `yoke train` does. @throws UsageError that names `where`.
void check_flags(const std::vector<RecipeEntry>& flags, const std::string& where);

/// Alone in the folder of a study, and asked to stop by signals, as long as it lives.
class StudyRuns {
 public:
  /// @throws UsageError where another process runs what goes into `out`.
  explicit StudyRuns(const std::filesystem::path& out);

  /// Runs what is not done, as children of this program that stop when a signal asks for it.
  /// `later` is that of study::RunnerContext.
  study::RunnerResult run(const study::StudyPlan& plan, const std::vector<study::Job>& jobs,
                          double later = 0) const;

 private:
  FileLock alone_;
};

/// What is written of a study, also of one that was stopped.
struct Outcome {
  std::string title;
  std::vector<study::Job> jobs;            ///< All; a row of study.csv for each that counts.
  std::vector<study::Job> compared;        ///< Those of summaries and report.
  std::vector<study::Section> first = {};  ///< Of the report.
  std::vector<study::Skipped> skipped = {};
};

/// Writes study.csv, the summaries and the report of what there is so far into `out`, and prints
/// their names.
void write_outcome(const Outcome& outcome, const std::filesystem::path& out,
                   const std::vector<std::string>& formats);

/// The exit status; tells how to go on where runs are left. @throws UsageError where a run ended
/// with wrong usage, and where this machine can run none.
int study_status(const study::RunnerResult& result);

}  // namespace yoke

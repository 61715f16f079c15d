// yoke/study/runner.h: runs what of a study is not done yet.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "yoke/core/system/process.h"
#include "yoke/study/jobs.h"

namespace yoke::study {

/// What running needs from outside.
struct RunnerContext {
  std::string program;      ///< This very program.
  Environment environment;  ///< Of the runs.
  std::function<void(const std::string& line)> tell;
  const std::atomic<bool>* stop = nullptr;  ///< Becomes true when a person wants an end.
  double later = 0;  ///< So many times the length of these runs comes after them.
};

/// What came of it.
struct RunnerResult {
  int done_before = 0;  ///< Runs that an earlier start of the study had completed.
  int completed = 0;
  int failed = 0;
  int left = 0;  ///< Not begun, or ended by the stop.
  std::vector<Skipped> skipped = {};
  std::string wrong_usage = {};  ///< What a run said that ended with it; no run was begun after it.

  int skipped_runs() const;
  /// What came of more runs, after these.
  void add(const RunnerResult& more);
};

/// Runs the jobs that are not done, one at a time on each set of hosts, and tells of each with the
/// time left. A run that fails is told of and passed over, and so are all of a point when one says
/// that its machine lacks what they need; when one ends with wrong usage, which others would share,
/// those on other hosts are asked to end, too.
RunnerResult run_jobs(const StudyPlan& plan, const std::vector<Job>& jobs,
                      const RunnerContext& context);

}  // namespace yoke::study

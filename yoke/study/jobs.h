// yoke/study/jobs.h: the runs of a study, and which of them are done.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yoke/study/plan.h"

namespace yoke::study {

/// One run of a study. Its directory is RUNS/<point>-r1, its flags are in RUNS/<point>-r1.toml,
/// what it printed in RUNS/<point>-r1.log; warm-ups have w in place of r.
struct Job {
  const StudyPoint* point = nullptr;
  int repetition = 1;  ///< From 1.
  bool counts = true;  ///< Not a warm-up.
  std::int64_t seed = 1;
  std::filesystem::path directory;

  std::filesystem::path flags_path() const { return directory.string() + ".toml"; }
  std::filesystem::path log_path() const { return directory.string() + ".log"; }
};

/// A point that cannot be run here, for want of a GPU or the like.
struct Skipped {
  std::string point;
  int runs = 0;     ///< Of it that were left.
  std::string why;  ///< As its run said.
};

/// Every run, in the order in which they begin: warm-ups, then repetition by repetition, so that a
/// machine that changes with time changes for all points alike. Every second round goes backwards.
std::vector<Job> jobs_of(const StudyPlan& plan, const std::filesystem::path& runs);

/// The recipe of a run: what the file `flags_path()` holds.
std::string flags_text(const Job& job);

/// Whether the run has completed. @throws UsageError where it was made with other flags.
bool is_done(const Job& job);

/// Removes what an earlier, unfinished try with these flags has left, sets aside any other run, and
/// writes the file of flags.
void prepare(const Job& job);

/// The same, but a try with these very flags stays, for the run to go on from its checkpoints.
void prepare_to_go_on(const Job& job);

/// `program`, or `program run ...` where the point has several ranks or hosts; a command follows.
std::vector<std::string> launch_words(const StudyPoint& point, const std::string& program,
                                      const HostSet& hosts);

/// The command that runs it: `program train ...`, or `program run ... train ...`.
std::vector<std::string> command_of(const Job& job, const std::string& program,
                                    const HostSet& hosts);

}  // namespace yoke::study

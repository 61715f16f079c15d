// yoke/study/emit/emit.h: a study as files for a scheduler, which runs it in place of `yoke study`.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "yoke/study/jobs.h"

namespace yoke::study {

/// What the files need from outside. Paths are absolute.
struct EmitContext {
  std::filesystem::path file;       ///< The study file.
  std::filesystem::path out;        ///< Of the study; its name becomes that of the jobs.
  std::filesystem::path directory;  ///< From which relative paths in flags are seen.
  std::string program;              ///< This very program.
  /// What writes the report of the runs that are there, after the name of the program.
  std::vector<std::string> report_words = {};

  /// The words of `yoke study` that write tables and report, and run nothing.
  std::vector<std::string> report_command(const std::string& yoke) const;
  /// The name of the study, of lower-case letters, digits and `-`: `yoke-workers`.
  std::string job_name() const;
  /// The name of a run's own job, `yoke-workers-1b4f0e98`: another for another point, repetition or
  /// flag, so that it is never taken for one that a cluster has seen.
  std::string job_name(const Job& job) const;
};

/// A run that has not completed.
struct JobLeft {
  int number = 1;  ///< Its place in the whole study.
  const Job* job = nullptr;
};

/// What a user calls.
inline constexpr const char* kSubmitScript = "submit.sh";

/// Texts by the names of their files; one is kSubmitScript.
using Files = std::map<std::string, std::string>;

/// An array script for each number of nodes and ranks, and one that writes the report.
Files slurm_files(const StudyPlan& plan, const std::vector<JobLeft>& jobs,
                  const EmitContext& context);

/// A job for each run, with a service where it has several nodes, and one that writes the report.
/// @throws UsageError where the study file lacks what a pod needs.
Files kubernetes_files(const StudyPlan& plan, const std::vector<JobLeft>& jobs,
                       const EmitContext& context);

/// The schedulers there are files for.
std::vector<std::string> schedulers();

/// Writes the files of the runs that have not completed into a folder of `context.out` that is
/// named after the scheduler, and the flags of these runs; returns how many they are. Writes
/// nothing for none. Files of the emission before go, others stay. @throws UsageError for another
/// scheduler, where a completed run had other flags, and where a file would be replaced that is not
/// as the emission before has written it.
int emit(const std::string& scheduler, const StudyPlan& plan, const std::vector<Job>& jobs,
         const EmitContext& context);

}  // namespace yoke::study

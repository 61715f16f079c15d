// yoke/study/plan.h: what a study file asks for; see docs/study.md.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/files/recipe.h"
#include "yoke/study/emit/cluster_settings.h"

namespace yoke::study {

/// Flags of `yoke train` by name.
using Flags = std::map<std::string, RecipeEntry>;

/// One combination of flags, which repetitions run.
struct StudyPoint {
  std::string name;                         ///< Unique and fit for a file: `batch-size=32,ranks=2`.
  std::string case_name;                    ///< Of the [[cases]] it belongs to, if any.
  std::map<std::string, std::string> axes;  ///< Values of the axes, for study.csv.
  Flags flags;                              ///< All of the point's own and the base's.
  int nodes = 1;
  int ranks = 1;  ///< On each node.
};

/// Hosts that a run may use; empty: this machine, without ssh.
using HostSet = std::vector<std::string>;

/// A study file, read.
struct StudyPlan {
  std::string title;
  std::vector<StudyPoint> points;  ///< In the order of the file.
  int repetitions = 3;
  int warm_ups = 1;       ///< Rounds over all points before those that count.
  std::int64_t seed = 1;  ///< Of the first repetition; the next has the next.
  std::optional<std::chrono::duration<double>> run_limit;  ///< A run that takes longer is ended.
  std::optional<std::chrono::duration<double>> limit;      ///< After it no run is begun.
  std::vector<HostSet> hosts = {{}};  ///< For a run at a time each; twice a set that two may share.
  SlurmSettings slurm = {};
  KubernetesSettings kubernetes = {};
};

/// Gives a point a flag, in place of an earlier one that it excludes; also `nodes` and `ranks`.
/// @throws UsageError on a flag that the study sets itself.
void set_flag(StudyPoint& point, const RecipeEntry& entry, const std::string& where);

/// Checks the flags of a point; throws UsageError on a name or a value that is not allowed.
using CheckFlags =
    std::function<void(const std::vector<RecipeEntry>& flags, const std::string& where)>;

/// What the command line adds to a study file.
struct StudyRequest {
  bool short_form = false;              ///< The [short] tables hold.
  std::vector<std::string> hosts = {};  ///< Sets in place of the file's: `a,b`.
  int jobs = 1;                         ///< Runs at a time on each set of hosts; at least 1.
  std::string data_dir = {};            ///< In place of the flag data-dir, where it is not empty.
  bool elsewhere = false;               ///< Nodes are a scheduler's: hosts do not limit them.
};

/// Reads a study. @throws UsageError that names the file and the line.
StudyPlan read_study(const std::filesystem::path& path, const StudyRequest& request,
                     const CheckFlags& check);

/// Reads `a,b`. @throws UsageError on an empty host, or one with a number of ranks.
HostSet parse_host_set(const std::string& text);

}  // namespace yoke::study

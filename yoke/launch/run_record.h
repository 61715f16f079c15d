// yoke/launch/run_record.h: notes of the runs that `yoke run` has going on this host.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yoke/launch/config.h"

namespace yoke::launch {

/// What `yoke stop` needs to know of a run.
struct RunRecord {
  std::string id;
  int pid = 0;
  std::string started =
      {};  ///< When the process began, in the kernel's ticks: a pid may be used again.
  std::string command;
  std::string directory;  ///< The training's run directory; may be empty.
  std::string log_dir;
  std::vector<std::string> hosts = {};
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord, id, pid, started, command, directory, log_dir, hosts)

/// $XDG_RUNTIME_DIR/yoke/runs, or ~/.local/state/yoke/runs, also where $HOME is not set.
std::filesystem::path records_directory(const Environment& environment);

/// When the process `pid` began; empty where there is none.
std::string process_start(int pid);

/// Whether the process of `record` still runs.
bool is_running(const RunRecord& record);

/// The records of runs that are running; those of others are removed. None where others than this
/// user can write.
std::vector<RunRecord> running_records(const std::filesystem::path& directory);

/// Writes a record of this process, and removes it at the end.
class RecordedRun {
 public:
  /// A record that cannot be written is no reason not to run: `problem()` then says why.
  RecordedRun(const std::filesystem::path& directory, RunRecord record);
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
};

}  // namespace yoke::launch

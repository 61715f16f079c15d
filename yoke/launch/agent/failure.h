// yoke/launch/agent/failure.h: how a rank failed.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace yoke::launch {

/// A rank, or with rank -1 a host, that failed.
struct Failure {
  double time = 0;  ///< Seconds since 1970, by the clock of whoever holds this.
  std::string host;
  int rank = -1;
  int local_rank = -1;
  int exit_code = 0;  ///< Minus the signal that ended it.
  int pid = 0;
  std::string error_file;  ///< Empty where it wrote none.
  std::string message;
  std::vector<std::string> last_lines = {};  ///< Of its standard error.
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Failure, time, host, rank, local_rank, exit_code, pid,
                                   error_file, message, last_lines)

/// Takes message and time from `error_file` in torch's form, if the rank wrote it; else says what
/// the exit code means.
void explain(Failure& failure, const std::filesystem::path& error_file);

/// torchrun's report: what failed first, and all else that failed. `name` is the program.
std::string failure_report(std::vector<Failure> failures, const std::string& name);

/// One line: `rank 1 on host a: Signal 9 (SIGKILL) received by PID 12`.
std::string summary(const Failure& failure);

/// The first in time. `failures` is not empty.
const Failure& root_cause(const std::vector<Failure>& failures);

}  // namespace yoke::launch

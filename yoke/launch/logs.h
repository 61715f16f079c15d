// yoke/launch/logs.h: where a launch keeps what its ranks print, and why they failed.
#pragma once
#include <filesystem>
#include <string>

namespace yoke::launch {

/// What the name of an attempt's folder begins with; its number follows.
inline constexpr const char* kAttemptPrefix = "attempt-";

/// The folder of rank `rank` in attempt `attempt`, both from 0 on.
inline std::filesystem::path rank_folder(const std::filesystem::path& log_dir, int attempt,
                                         int rank) {
  return log_dir / (kAttemptPrefix + std::to_string(attempt)) / ("rank-" + std::to_string(rank));
}

/// The files in it; RankError is read from the last.
inline constexpr const char* kOutFile = "stdout.log";
inline constexpr const char* kErrFile = "stderr.log";
inline constexpr const char* kErrorFile = "error.json";

}  // namespace yoke::launch

// yoke/report/phases.h: phases.csv, what a run was doing when.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>

namespace yoke {

/// The first line of phases.csv.
inline constexpr const char* kPhasesHeader = "seconds,phase\n";

/// Appends a line whenever the run turns to something else, as soon as it does.
class PhaseFile {
 public:
  explicit PhaseFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// `phase` (loading, training, evaluating, checkpointing, ended) begins `seconds` after the start
  /// of the run. The first call drops lines from then on, which an earlier process has left.
  /// @throws Error when the line cannot be written.
  void begin(const std::string& phase, double seconds);

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace yoke

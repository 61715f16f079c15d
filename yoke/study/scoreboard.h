// yoke/study/scoreboard.h: who reached a target accuracy, and how fast.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace yoke::study {

/// One run of an entry of a race. Accuracies and the target are fractions of the validation images.
struct RaceRun {
  std::string entry;        ///< The recipe's name.
  std::string data;         ///< Name of the data set, without options.
  std::int64_t images = 0;  ///< Of its validation split.
  double target = 0;
  /// Seconds of training and evaluation from the first step; nothing where it was not reached.
  std::optional<double> seconds = {};
  double wall_seconds = 0;  ///< From the start of the program to the end of the last step.
  double epochs = 0;
  double claimed = 0;   ///< Accuracy by the run itself.
  double verified = 0;  ///< By another process, from the weights that the run left.
  int hosts = 1;
  int ranks = 1;  ///< Over all hosts.
  std::string cpu;
  std::int64_t seed = 1;
  std::string yoke;  ///< Version.
  std::string date;  ///< Of its end, in UTC: `2026-01-31 12:00`.
  std::string run;   ///< The run directory.

  /// Whether it counts: the target was reached, and the verification agrees.
  bool holds() const { return seconds.has_value() && verified >= target; }
};

/// The runs of a scoreboard's file, a JSON object per line; none where there is no file.
/// @throws UsageError that names the line which is no such object.
std::vector<RaceRun> read_scoreboard(const std::filesystem::path& path);

/// Adds a run; one of the same directory on the same processor is replaced.
void add_run(std::vector<RaceRun>& runs, RaceRun run);

/// What read_scoreboard() reads.
std::string scoreboard_text(const std::vector<RaceRun>& runs);

/// A table for each data set and target: entries by the median of their times, fastest first, and
/// behind them those that reach it in less than nine of ten runs.
std::string scoreboard_markdown(const std::vector<RaceRun>& runs);

}  // namespace yoke::study

// yoke/run/phases.h: phases.csv, what a run was doing when.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "yoke/core/enum_words.h"
#include "yoke/core/files/appended_file.h"
#include "yoke/run/lines.h"

namespace yoke {

/// What rank 0 does.
enum class PhaseKind : std::uint8_t { kLoading, kTraining, kEvaluating, kCheckpointing, kEnded };

template <>
struct EnumWords<PhaseKind> {
  static constexpr std::string_view kWords[] = {"loading", "training", "evaluating",
                                                "checkpointing", "ended"};
};

/// A time in which rank 0 did one thing.
struct Phase {
  PhaseKind kind = PhaseKind::kLoading;
  double begin = 0, end = 0;  ///< Seconds of the run.
};

/// Appends a line whenever the run turns to something else, as soon as it does.
class PhaseFile {
 public:
  explicit PhaseFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// `phase` begins `seconds` after the start of the run. The first call drops lines from then on,
  /// which an earlier process has left. @throws Error when the line cannot be written; the next
  /// call tries again.
  void begin(PhaseKind phase, double seconds);

 private:
  std::filesystem::path path_;
  std::optional<AppendedFile> file_;
};

/// Reads phases.csv, without the end; the last phase ends at `end_seconds` unless the file says
/// when. @throws Error when it cannot be read.
Lines<Phase> read_phases(const std::filesystem::path& path, double end_seconds);

}  // namespace yoke

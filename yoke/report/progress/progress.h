// yoke/report/progress/progress.h: what the user sees while a run goes on.
#pragma once
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "yoke/core/enum_words.h"
#include "yoke/core/epochs.h"
#include "yoke/run/metrics.h"

namespace yoke {

/// How far a run is.
struct ProgressState {
  std::int64_t step = 0;  ///< Steps done.
  std::int64_t total_steps = 0;
  Epochs epochs;
  double seconds_left = 0;  ///< Of the whole run; NaN while unknown.
};

/// Mean and latest of what the log lines show.
struct StepTimes {
  double step_seconds = 0;       ///< Mean over the steps since the report before.
  double data_wait_seconds = 0;  ///< Likewise.
};

/// Shows a run to a person. Only one thread calls it.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A sentence of its own, e.g. a warning.
  virtual void message(std::string_view text) = 0;
  /// After each step; cheap.
  virtual void step(const ProgressState& state) = 0;
  /// After each report of training.
  virtual void training(const ProgressState& state, const Metrics& metrics,
                        const StepTimes& times) = 0;
  /// After each measurement of the validation images.
  virtual void validation(const ProgressState& state, const Metrics& metrics) = 0;
  /// Once, at the end of the steps.
  virtual void finish() = 0;
};

/// How a run shows where it is; kAuto, as the output is a terminal or not, bars or lines.
enum class ProgressKind { kAuto, kBar, kLines, kNone };

template <>
struct EnumWords<ProgressKind> {
  static constexpr std::string_view kWords[] = {"auto", "bar", "lines", "none"};
};

/// `kind` is not kAuto; `stream` must outlive the result. A bar stays within `columns`, for it is
/// drawn anew in its line.
std::unique_ptr<Progress> make_progress(ProgressKind kind, std::ostream& stream, int columns = 120);

}  // namespace yoke

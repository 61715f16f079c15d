// yoke/train/reporter.h: everything a run tells: files, TensorBoard and the user's screen.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "yoke/models/model.h"
#include "yoke/report/machine/resources.h"
#include "yoke/report/progress/console_log.h"
#include "yoke/report/progress/progress.h"
#include "yoke/report/tensorboard/tensorboard.h"
#include "yoke/run/metrics.h"
#include "yoke/run/phases.h"
#include "yoke/train/config/config.h"
#include "yoke/train/resolved.h"

namespace yoke {

/// Where the user reads along.
struct Output {
  std::ostream* stream = nullptr;  ///< Null: nothing is shown.
  bool terminal = false;           ///< `--progress auto` draws bars here, else lines.
  int columns = 120;               ///< Of the terminal.
};

/// Writes reports. A file that cannot be written never ends the training: it is said once.
class Reporter {
 public:
  /// `resume_step` continues the files of a resumed run, which has taken `seconds` so far. Only
  /// rank 0 reports; every rank that records its resources does so after rank 0 has begun the file,
  /// and those of the GPUs at `gpus`, addresses on the PCI bus.
  Reporter(const TrainConfig& config, const Resolved& resolved, const Output& output, int rank,
           std::optional<std::int64_t> resume_step, double seconds,
           std::vector<std::string> gpus = {});

  void message(const std::string& text);
  /// TensorBoard's picture of the model.
  void graph(const Model& model);
  /// The run turns to something else: see PhaseFile::begin().
  void phase(PhaseKind phase, double seconds);
  void step(const ProgressState& state) { progress_->step(state); }
  void training(const ProgressState& state, const Metrics& metrics, const StepTimes& times);
  void validation(const ProgressState& state, const Metrics& metrics);
  /// Ends the display and writes what is buffered.
  void finish();

 private:
  template <typename Write>
  void guarded(const Write& write);
  template <typename Tell>
  void tell(const Tell& tell);

  std::unique_ptr<Progress> progress_;
  std::optional<ConsoleLog> console_;
  std::optional<MetricsFile> metrics_;
  std::optional<PhaseFile> phases_;
  std::unique_ptr<TensorBoardWriter> tensorboard_;
  std::unique_ptr<ResourceSampler> resources_;
  bool complained_ = false;
};

}  // namespace yoke

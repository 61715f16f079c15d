// yoke/run/metrics.h: metrics.jsonl, one JSON object per report.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/files/appended_file.h"
#include "yoke/run/lines.h"

namespace yoke {

/// One report of a split, over the images since the report before.
struct Metrics {
  static constexpr const char* kRankTop1 = "rank_top1";  ///< A key that others ask for, too.

  std::int64_t step = 0;   ///< Optimizer steps done.
  double epoch = 0;        ///< Passes over the training images done, with fraction.
  double seconds = 0;      ///< Since the start of the run.
  std::string split = {};  ///< `train` or `val`.
  double loss = 0;         ///< Mean over images.
  double top1 = 0;         ///< Fraction of images, in [0, 1].
  double top5 = 0;         ///< Likewise, the class among the five best.
  double lr = 0;
  double images_per_second = 0;
  double data_wait_seconds = 0;
  double compute_seconds = 0;
  double communication_seconds = 0;
  std::int64_t communication_bytes = 0;  ///< Of the tensors that went over this rank.
  /// Of each rank's own model, before their mean; empty where it was not measured.
  std::vector<double> rank_top1 = {};

  /// Calls visit(name, field) for each field in the order of the file, whose keys the names are.
  template <typename Self, typename Visit>
  static void visit(Self& metrics, Visit visit) {
    visit("step", metrics.step);
    visit("epoch", metrics.epoch);
    visit("seconds", metrics.seconds);
    visit("split", metrics.split);
    visit("loss", metrics.loss);
    visit("top1", metrics.top1);
    visit("top5", metrics.top5);
    visit("lr", metrics.lr);
    visit("images_per_second", metrics.images_per_second);
    visit("data_wait_seconds", metrics.data_wait_seconds);
    visit("compute_seconds", metrics.compute_seconds);
    visit("communication_seconds", metrics.communication_seconds);
    visit("communication_bytes", metrics.communication_bytes);
    visit(kRankTop1, metrics.rank_top1);
  }
};

/// Appends reports to a file, each line as soon as it is known.
class MetricsFile {
 public:
  /// A resumed run keeps the reports up to `resume_step` and drops what came after.
  explicit MetricsFile(const std::filesystem::path& path,
                       std::optional<std::int64_t> resume_step = {});

  /// @throws Error when the line cannot be written; the next call tries again.
  void write(const Metrics& metrics);
  /// Writes what could not be written. @throws Error when it still cannot.
  void flush() { file_->flush(); }

 private:
  std::optional<AppendedFile> file_;
};

/// Reads metrics.jsonl; a field that is missing is 0, one that is null, as of a loss that was not
/// finite, NaN. @throws Error when it cannot be read.
Lines<Metrics> read_metrics(const std::filesystem::path& path);

}  // namespace yoke

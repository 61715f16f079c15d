// yoke/report/progress/progress_lines.h: one log line per report, of the form people know from
// PyTorch's ImageNet example.
#pragma once
#include <string_view>

#include "yoke/report/progress/progress.h"

namespace yoke {

class ProgressLines final : public Progress {
 public:
  explicit ProgressLines(std::ostream& stream) : stream_(stream) {}
  void message(std::string_view text) override;
  void step(const ProgressState&) override {}
  void training(const ProgressState& state, const Metrics& metrics,
                const StepTimes& times) override;
  void validation(const ProgressState& state, const Metrics& metrics) override;
  void finish() override {}

 private:
  /// Means of an epoch, beside the latest values.
  struct EpochMeans {
    std::int64_t epoch = -1;
    double steps = 0, step_seconds = 0, data_wait_seconds = 0, loss = 0, top1 = 0, top5 = 0;
  };
  void add(std::int64_t epoch, double steps, const Metrics& metrics, const StepTimes& times);

  std::ostream& stream_;
  EpochMeans means_;
  std::int64_t last_step_ = 0;
};

}  // namespace yoke

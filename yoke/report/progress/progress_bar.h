// yoke/report/progress/progress_bar.h: one bar per epoch on a terminal.
#pragma once
#include <string>
#include <string_view>

#include "yoke/core/system/clock.h"
#include "yoke/report/progress/progress.h"

namespace yoke {

class ProgressBar final : public Progress {
 public:
  ProgressBar(std::ostream& stream, int columns) : stream_(stream), columns_(columns) {}
  void message(std::string_view text) override;
  void step(const ProgressState& state) override;
  void training(const ProgressState& state, const Metrics& metrics,
                const StepTimes& times) override;
  void validation(const ProgressState& state, const Metrics& metrics) override;
  void finish() override;

 private:
  void draw(const ProgressState& state);
  void end_line();

  std::ostream& stream_;
  const int columns_;
  Stopwatch since_drawn_;
  std::string training_;  // of the line being drawn
  std::string validation_;
  std::int64_t epoch_ = -1;  // of the line being drawn
  bool open_ = false;        // the cursor stands behind a bar
};

}  // namespace yoke

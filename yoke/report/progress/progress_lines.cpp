#include "yoke/report/progress/progress_lines.h"

#include <fmt/format.h>

#include "yoke/core/format.h"

namespace yoke {

void ProgressLines::message(std::string_view text) { stream_ << text << std::endl; }

void ProgressLines::add(std::int64_t epoch, double steps, const Metrics& metrics,
                        const StepTimes& times) {
  if (means_.epoch != epoch) means_ = {.epoch = epoch};
  const double share = steps / (means_.steps + steps);
  means_.steps += steps;
  means_.step_seconds += share * (times.step_seconds - means_.step_seconds);
  means_.data_wait_seconds += share * (times.data_wait_seconds - means_.data_wait_seconds);
  means_.loss += share * (metrics.loss - means_.loss);
  means_.top1 += share * (metrics.top1 - means_.top1);
  means_.top5 += share * (metrics.top5 - means_.top5);
}

void ProgressLines::training(const ProgressState& state, const Metrics& metrics,
                             const StepTimes& times) {
  const std::int64_t epoch = state.epochs.at(state.step - 1);
  const std::int64_t in_epoch = state.epochs.place(state.step - 1) + 1;
  const std::int64_t steps = state.epochs.steps(epoch);
  add(epoch, static_cast<double>(std::max<std::int64_t>(1, state.step - last_step_)), metrics,
      times);
  last_step_ = state.step;
  const auto digits = fmt::formatted_size("{}", steps);
  stream_ << fmt::format(
                 "Epoch: [{}][{:>{}}/{}]\tTime {:6.3f} ({:6.3f})\tData {:6.3f} ({:6.3f})\t"
                 "Loss {:.4e} ({:.4e})\tAcc@1 {:6.2f} ({:6.2f})\tAcc@5 {:6.2f} ({:6.2f})\t"
                 "{:.0f} images/s\t{} left",
                 epoch, in_epoch, digits, steps, times.step_seconds, means_.step_seconds,
                 times.data_wait_seconds, means_.data_wait_seconds, metrics.loss, means_.loss,
                 100 * metrics.top1, 100 * means_.top1, 100 * metrics.top5, 100 * means_.top5,
                 metrics.images_per_second, format_duration(state.seconds_left))
          << std::endl;
}

void ProgressLines::validation(const ProgressState&, const Metrics& metrics) {
  stream_ << fmt::format(" * Val Acc@1 {:.3f} Acc@5 {:.3f} Loss {:.4f}", 100 * metrics.top1,
                         100 * metrics.top5, metrics.loss)
          << std::endl;
}

}  // namespace yoke

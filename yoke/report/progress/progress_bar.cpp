#include "yoke/report/progress/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/format.h"

namespace yoke {
namespace {

constexpr int kWidth = 24;               // of the bar, in columns
constexpr int kLeastWidth = 4;           // below that there is none
constexpr double kSecondsBetween = 0.1;  // two drawings

}  // namespace

void ProgressBar::message(std::string_view text) {
  if (open_) stream_ << "\r\033[K";
  stream_ << text << std::endl;
  open_ = false;
}

void ProgressBar::step(const ProgressState& state) {
  const std::int64_t epoch = state.epochs.at(state.step - 1);
  const bool epoch_ends = state.epochs.starts(state.step);
  if (epoch != epoch_) {
    end_line();
    epoch_ = epoch;
    validation_.clear();
  } else if (!epoch_ends && since_drawn_.seconds() < kSecondsBetween) {
    return;
  }
  draw(state);
}

void ProgressBar::training(const ProgressState& state, const Metrics& metrics, const StepTimes&) {
  training_ = fmt::format("{:6.0f} images/s  loss {:.4f}  top-1 {:5.2f} %",
                          metrics.images_per_second, metrics.loss, 100 * metrics.top1);
  draw(state);
}

void ProgressBar::validation(const ProgressState& state, const Metrics& metrics) {
  validation_ = fmt::format("  validation {:.2f} %", 100 * metrics.top1);
  draw(state);
}

void ProgressBar::finish() { end_line(); }

void ProgressBar::draw(const ProgressState& state) {
  const std::int64_t epochs = state.epochs.at(state.total_steps - 1) + 1;
  const double fraction = state.epochs.passed(state.step) - static_cast<double>(epoch_);
  const std::string left =
      fmt::format("epoch {:>{}}/{} ", epoch_ + 1, fmt::formatted_size("{}", epochs), epochs);
  const std::string right = fmt::format("{:3.0f} %  {}{}  {} left", 100 * fraction, training_,
                                        validation_, format_duration(state.seconds_left));
  const int room = columns_ - static_cast<int>(left.size() + right.size()) - 2;
  const std::string bar =
      room < kLeastWidth ? "" : format_bar(fraction, std::min(room, kWidth)) + "▏";
  const std::size_t most = bar.empty() ? static_cast<std::size_t>(columns_) - 1 : std::string::npos;
  stream_ << "\r\033[K" << (left + bar + right).substr(0, most) << std::flush;
  open_ = true;
  since_drawn_.lap();
}

void ProgressBar::end_line() {
  if (open_) stream_ << std::endl;
  open_ = false;
}

}  // namespace yoke

#include "yoke/study/rate_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "yoke/core/error.h"

namespace yoke::study {
namespace {

constexpr double kDecay = 0.98;      // of the weights in the mean of losses
constexpr std::int64_t kFirst = 10;  // one of so many steps at the beginning says little
constexpr std::int64_t kLast = 5;    // points at the end, where the loss may rise out of sight

/// The rate at the beginning of the steepest piece of a curve that falls.
double steepest(std::span<const RatePoint> points) {
  double found = points.front().lr, least = 0;  // slope
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double slope = (points[i + 1].smoothed - points[i].smoothed) /
                         (std::log(points[i + 1].lr) - std::log(points[i].lr));
    if (slope >= least) continue;
    least = slope;
    found = points[i].lr;
  }
  return found;
}

/// The standard deviation of the losses of `points`, one at least.
double scatter(std::span<const RatePoint> points) {
  double mean = 0, squares = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& point : points) mean += point.loss / count;
  for (const auto& point : points) squares += (point.loss - mean) * (point.loss - mean) / count;
  return std::sqrt(squares);
}

}  // namespace

double RateRange::lr(std::int64_t step) const {
  return from * std::pow(to / from, static_cast<double>(step) / static_cast<double>(steps - 1));
}

void validate(const RateRange& range) {
  if (!(range.from > 0) || !(range.to > range.from) || !std::isfinite(range.to)) {
    throw UsageError(fmt::format(
        "--from {} and --to {} are given; allowed: rates above 0 of which --to is the higher one, "
        "as in --from {} --to {}",
        range.from, range.to, RateRange().from, RateRange().to));
  }
  if (range.steps < kFewestRateSteps) {
    throw UsageError(fmt::format("--steps is {}; allowed: a whole number from {} on", range.steps,
                                 kFewestRateSteps));
  }
}

RateTest::RateTest(const RateRange& range)
    : range_(range), best_(std::numeric_limits<double>::infinity()) {
  validate(range);
}

void RateTest::add(double loss) {
  const double lr = range_.lr(taken());
  mean_ = kDecay * mean_ + (1 - kDecay) * loss;
  const double weights = 1 - std::pow(kDecay, static_cast<double>(taken() + 1));
  const double smoothed = mean_ / weights;
  points_.push_back({.lr = lr, .loss = loss, .smoothed = smoothed});
  best_ = std::fmin(best_, smoothed);
  diverged_ = !std::isfinite(smoothed) || smoothed > kDivergence * best_;
}

std::optional<RateSuggestions> RateTest::suggestions() const {
  const std::int64_t count = taken() - kLast - range_.steps / kFirst;
  if (count < 1) return std::nullopt;
  const auto first = static_cast<std::size_t>(range_.steps / kFirst);
  const auto kept = std::span(points_).subspan(first, static_cast<std::size_t>(count));
  const auto least = std::min_element(
      kept.begin(), kept.end(),
      [](const RatePoint& a, const RatePoint& b) { return a.smoothed < b.smoothed; });
  if (least == kept.begin()) return std::nullopt;
  const double fall = kept.front().smoothed - least->smoothed;
  return RateSuggestions{.minimum = least->lr / 10,
                         .steep = steepest({kept.begin(), least + 1}),
                         .at_end = !diverged_ && least + 1 == kept.end(),
                         .slight = fall < scatter(std::span(points_).first(first))};
}

}  // namespace yoke::study

// yoke/study/rate_test.h: the learning-rate range test (Smith 2017, "Cyclical learning rates for
// training neural networks", section 3.3), with the rules of fastai's lr_find.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace yoke::study {

/// The rates of a test, each the same factor above the one before.
struct RateRange {
  double from = 1e-7;  ///< Of the first step; above 0.
  double to = 10;      ///< Of the last; above `from`.
  std::int64_t steps = 100;

  /// Of a step in [0, steps).
  double lr(std::int64_t step) const;
};

/// Fewer steps leave nothing to compare.
inline constexpr std::int64_t kFewestRateSteps = 10;

/// A test ends where the smoothed loss is above so many times its least.
inline constexpr double kDivergence = 4;

/// @throws UsageError on rates and steps that make no test, by the names of their flags.
void validate(const RateRange& range);

/// What a step of a test found.
struct RatePoint {
  double lr = 0;
  double loss = 0;      ///< Before the step; any number, or none.
  double smoothed = 0;  ///< The mean of the losses so far, each counting 0.98 times the next.
};

/// Rates that a test suggests, by the names of fastai's suggestions.
struct RateSuggestions {
  double minimum = 0;   ///< A tenth of the rate where the smoothed loss is least.
  double steep = 0;     ///< Where the smoothed loss falls fastest over log(lr), before its least.
  bool at_end = false;  ///< The loss was least at the end: what comes at higher rates is not seen.
  bool slight = false;  ///< It fell by less than the losses of the first tenth scatter.
};

/// A test as it goes on: takes the loss of one step after the other.
class RateTest {
 public:
  /// @throws UsageError where validate() does.
  explicit RateTest(const RateRange& range);

  /// Whether there is a next step.
  bool goes_on() const { return !diverged_ && taken() < range_.steps; }

  /// The loss of the next step.
  void add(double loss);

  const RateRange& range() const { return range_; }
  std::int64_t taken() const { return static_cast<std::int64_t>(points_.size()); }
  const std::vector<RatePoint>& points() const { return points_; }
  double best() const { return best_; }  ///< The least smoothed loss.

  /// Whether it ended early: the smoothed loss was above kDivergence times its best, or not finite.
  bool diverged() const { return diverged_; }

  /// Of all steps but the first tenth, whose mean is of few losses, and the last five; nothing
  /// where the smoothed loss did not fall.
  std::optional<RateSuggestions> suggestions() const;

 private:
  const RateRange range_;
  std::vector<RatePoint> points_;
  double mean_ = 0;  // exponential, before its bias is taken out
  double best_;
  bool diverged_ = false;
};

}  // namespace yoke::study

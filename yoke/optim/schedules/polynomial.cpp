// yoke/optim/schedules/polynomial.cpp: a power of the share of the run that is left; PyTorch's
// PolynomialLR, stepped at each step, and timm's `poly` with its lowest rate.
#include <cmath>

#include "yoke/optim/schedules/min_lr.h"

namespace yoke {
namespace {

struct PolynomialOptions {
  double power = 1;
  double min_lr = 0;
};

OptionTable<PolynomialOptions> polynomial_options() {
  using O = PolynomialOptions;
  return {
      {"power", &O::power, at_least(0), "of the share of the run that is left; 1: a straight line"},
      {"min_lr", &O::min_lr, at_least(0), "what the run ends near; at most `--lr`"},
  };
}

Schedule make_polynomial(const ScheduleInput& input, const PolynomialOptions& options) {
  const auto total = static_cast<double>(input.total_steps);
  return fall_to_min_lr("polynomial", input, options.min_lr,
                        [total, power = options.power](std::int64_t step) {
                          return std::pow(1 - static_cast<double>(step) / total, power);
                        });
}

}  // namespace

SchedulePlugin polynomial_schedule() { return {polynomial_options(), make_polynomial}; }

}  // namespace yoke

// yoke/optim/schedules/cosine_restarts.cpp: half a cosine again and again (Loshchilov and Hutter
// 2017); PyTorch's CosineAnnealingWarmRestarts, stepped at each step.
#include <cmath>

#include "yoke/optim/schedules/min_lr.h"

namespace yoke {
namespace {

struct CosineRestartsOptions {
  std::int64_t t_0 = 10;
  std::int64_t t_mult = 1;
  double min_lr = 0;
};

OptionTable<CosineRestartsOptions> cosine_restarts_options() {
  using O = CosineRestartsOptions;
  return {
      {"t_0", &O::t_0, in(1, 1'000'000), "epochs of the first period"},
      {"t_mult", &O::t_mult, in(1, 1000), "each period is so many times as long as the last"},
      {"min_lr", &O::min_lr, at_least(0), "what each period ends near; at most `--lr`"},
  };
}

Schedule make_cosine_restarts(const ScheduleInput& input, const CosineRestartsOptions& options) {
  const auto first = static_cast<double>(options.t_0);
  const auto longer = static_cast<double>(options.t_mult);
  return fall_to_min_lr("cosine-restarts", input, options.min_lr,
                        [first, longer, epochs = input.epochs](std::int64_t step) {
                          double passed = epochs.passed(step), period = first;
                          if (longer == 1) passed = std::fmod(passed, period);  // may be many
                          for (; passed >= period; period *= longer) passed -= period;
                          return half_cosine(passed / period);
                        });
}

}  // namespace

SchedulePlugin cosine_restarts_schedule() {
  return {cosine_restarts_options(), make_cosine_restarts};
}

}  // namespace yoke

// yoke/optim/schedules/cosine_restarts.cpp: half a cosine again and again (Loshchilov and Hutter
// 2017); PyTorch's CosineAnnealingWarmRestarts, stepped at each step.
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
  const std::int64_t first = options.t_0 * input.steps_per_epoch;
  return fall_to_min_lr(
      "cosine-restarts", input, options.min_lr,
      [first, longer = options.t_mult](std::int64_t step) {
        std::int64_t period = first;
        if (longer == 1) step %= period;  // there may be many
        for (; step >= period; period *= longer) step -= period;
        return half_cosine(static_cast<double>(step) / static_cast<double>(period));
      });
}

}  // namespace

SchedulePlugin cosine_restarts_schedule() {
  return {cosine_restarts_options(), make_cosine_restarts};
}

}  // namespace yoke

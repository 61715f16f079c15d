// yoke/optim/schedules/rsqrt.cpp: falls as one over the root of the step, after a linear warm-up
// (Vaswani et al. 2017, section 5.3, with `--lr` as its peak).
#include <algorithm>
#include <cmath>

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

struct RsqrtOptions {
  std::int64_t warmup = 1;
};

}  // namespace

SchedulePlugin rsqrt_schedule() {
  const OptionTable<RsqrtOptions> options = {
      {"warmup", &RsqrtOptions::warmup, at_least(1), "steps until the peak"}};
  return {options, [](const ScheduleInput& input, const RsqrtOptions& chosen) -> Schedule {
            return [lr = input.lr, peak = static_cast<double>(chosen.warmup)](std::int64_t step) {
              const double t = static_cast<double>(step) + 1;
              return Rates{.lr = lr * std::min(t / peak, std::sqrt(peak / t))};
            };
          }};
}

}  // namespace yoke

// yoke/optim/schedules/min_lr.h: what schedules share that fall from `--lr` to a lowest rate.
#pragma once
#include <functional>
#include <string_view>

#include "yoke/optim/schedule.h"

namespace yoke {

/// Rates of min_lr + (lr - min_lr) * share(step), with the base rate `lr` of `input` and shares in
/// [0, 1]. @throws UsageError that names the `schedule` where `min_lr` is above the base rate.
Schedule fall_to_min_lr(std::string_view schedule, const ScheduleInput& input, double min_lr,
                        std::function<double(std::int64_t step)> share);

/// Half a cosine, from 1 where `done` is 0 to 0 where it is 1 (Loshchilov and Hutter 2017,
/// equation 5).
double half_cosine(double done);

}  // namespace yoke

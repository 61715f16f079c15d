// yoke/optim/schedules/constant.cpp: the same rate at every step.
#include "yoke/optim/schedule.h"

namespace yoke {

SchedulePlugin constant_schedule() {
  return {no_options(), [](const ScheduleInput& input, const NoOptions&) -> Schedule {
            return [lr = input.lr](std::int64_t) { return Rates{.lr = lr}; };
          }};
}

}  // namespace yoke

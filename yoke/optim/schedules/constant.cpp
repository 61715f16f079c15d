// yoke/optim/schedules/constant.cpp: the same rate at every step.
#include "yoke/optim/schedule.h"

namespace yoke {

Schedule make_constant_schedule(const ScheduleInput& input, Options&) {
  return [lr = input.lr](std::int64_t) { return Rates{.lr = lr}; };
}

}  // namespace yoke

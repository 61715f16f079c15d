#include <cmath>

#include "yoke/core/error.h"
#include "yoke/optim/schedule.h"

namespace yoke {

#define SCHEDULE(id, help) SchedulePlugin id##_schedule();
#include "yoke/optim/schedules.def"
#undef SCHEDULE

const Registry<SchedulePlugin>& schedules() {
  static const Registry<SchedulePlugin> registry("schedule", {
#define SCHEDULE(id, help) {plugin_name(#id), help, id##_schedule()},
#include "yoke/optim/schedules.def"
#undef SCHEDULE
                                                             });
  return registry;
}

Schedule make_schedule(std::string_view text, const ScheduleInput& input) {
  if (!std::isfinite(input.lr) || input.lr < 0) {
    throw UsageError(
        fmt::format("the learning rate is {}; allowed: a number of at least 0", input.lr));
  }
  if (input.total_steps < 1) {
    throw Error(
        fmt::format("a schedule was made for {} steps; there is at least 1", input.total_steps));
  }
  return [schedule = schedules().choose(text).make(input), last = input.total_steps - 1](
             std::int64_t step) { return schedule(std::clamp<std::int64_t>(step, 0, last)); };
}

}  // namespace yoke

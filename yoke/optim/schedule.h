// yoke/optim/schedule.h: the learning rate as a pure function of the step.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "yoke/core/epochs.h"
#include "yoke/core/plugins/plugin.h"
#include "yoke/core/plugins/registry.h"
#include "yoke/optim/plateau.h"

namespace yoke {

/// What a schedule decides for one step.
struct Rates {
  double lr = 0;
  /// Replaces SGD's momentum or Adam's first beta, where the schedule cycles it (one-cycle).
  std::optional<double> momentum = {};
};

/// Rates of step 0, 1, 2, ...; depends on the step alone, so that a resumed run goes on alike.
using Schedule = std::function<Rates(std::int64_t step)>;

/// What the run tells a schedule.
struct ScheduleInput {
  double lr = 0;                 ///< `--lr`, the base learning rate.
  std::int64_t total_steps = 0;  ///< At least 1.
  Epochs epochs;
};

/// What a run asks of a choice of schedule.
struct ScheduleTraits {
  /// Where its rates also fall by what evaluations find, see Plateau.
  std::optional<PlateauRule> plateau = {};
};

/// A schedule as its file declares it.
using SchedulePlugin = Plugin<Schedule(const ScheduleInput& input), ScheduleTraits>;

/// Every schedule of schedules.def.
const Registry<SchedulePlugin>& schedules();

/// Builds the schedule that `text` (`name:key=value,...`) names.
/// @throws UsageError on an unknown name or option.
Schedule make_schedule(std::string_view text, const ScheduleInput& input);

}  // namespace yoke

// yoke/optim/schedules/plateau.cpp: the rate times factor where evaluations get no better;
// PyTorch's ReduceLROnPlateau.
#include "yoke/optim/plateau.h"

#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

OptionTable<PlateauRule> plateau_options() {
  using O = PlateauRule;
  return {
      {"factor", &O::factor, in(0, 1), "factor of each fall"},
      {"patience", &O::patience, at_least(0),
       "evaluations in a row that may be no better before the rate falls"},
      {"threshold", &O::threshold, in(0, below(1)), "better by less than this share is no better"},
      {"cooldown", &O::cooldown, at_least(0),
       "evaluations after a fall before others count as no better"},
      {"min_lr", &O::min_lr, at_least(0), "the rate falls no further"},
      {"metric",
       &O::metric,
       {{"loss", PlateauMetric::kLoss}, {"top1", PlateauMetric::kTop1}},
       "of the validation images: the loss, which should fall, or the accuracy, which should rise"},
  };
}

}  // namespace

SchedulePlugin plateau_schedule() {
  return {plateau_options(),
          [](const ScheduleInput& input, const PlateauRule&) -> Schedule {
            return [lr = input.lr](std::int64_t) { return Rates{.lr = lr}; };
          },
          [](const PlateauRule& rule) { return ScheduleTraits{.plateau = rule}; }};
}

}  // namespace yoke

// yoke/optim/schedules/cosine.cpp: half a cosine over the whole run; PyTorch's CosineAnnealingLR,
// stepped at each step.
#include "yoke/optim/schedules/min_lr.h"

namespace yoke {
namespace {

struct CosineOptions {
  double min_lr = 0;
};

Schedule make_cosine(const ScheduleInput& input, const CosineOptions& options) {
  const auto total = static_cast<double>(input.total_steps);
  return fall_to_min_lr("cosine", input, options.min_lr, [total](std::int64_t step) {
    return half_cosine(static_cast<double>(step) / total);
  });
}

}  // namespace

SchedulePlugin cosine_schedule() {
  const OptionTable<CosineOptions> options = {
      {"min_lr", &CosineOptions::min_lr, at_least(0), "what the run ends near; at most `--lr`"}};
  return {options, make_cosine};
}

}  // namespace yoke

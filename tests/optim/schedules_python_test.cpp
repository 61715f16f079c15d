#include <gtest/gtest.h>

#include "tests/optim/python.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

constexpr double kScheduledRate = 0.4;

/// A schedule of Yoke, and PyTorch's for an optimizer `o` and `total` steps.
struct ScheduleCounterpart {
  std::string ours;
  std::string theirs;
  std::int64_t total;
  std::int64_t steps_per_epoch;
  bool cycles_momentum = false;
  bool each_step = false;  // theirs is stepped then, not once an epoch
};

const ScheduleCounterpart kScheduleCounterparts[] = {
    {"step:step_size=2,gamma=0.5", "StepLR(o, 2, 0.5)", 23, 4},
    {"multi-step:milestones=1+4+5,gamma=0.5", "MultiStepLR(o, [1, 4, 5], 0.5)", 23, 3},
    {"multi-step:milestones=2", "MultiStepLR(o, [2])", 9, 4},
    {"multi-step", "MultiStepLR(o, [30, 60, 80])", 90, 1},
    {"exponential:gamma=0.7", "ExponentialLR(o, 0.7)", 23, 4},
    {"exponential", "ExponentialLR(o, 0.95)", 40, 1},
    {"polynomial", "PolynomialLR(o, total)", 37, 1},
    {"polynomial:power=2.5", "PolynomialLR(o, total, 2.5)", 37, 5, /*cycles_momentum=*/false,
     /*each_step=*/true},
    {"polynomial:power=0.5", "PolynomialLR(o, total, 0.5)", 1, 1},
    {"cosine:min_lr=0.01", "CosineAnnealingLR(o, total, 0.01)", 37, 1},
    {"cosine-restarts:t_0=3", "CosineAnnealingWarmRestarts(o, 3)", 11, 1},
    {"cosine-restarts:t_0=2,min_lr=0.01", "CosineAnnealingWarmRestarts(o, 2 * 4, eta_min=0.01)", 50,
     4, /*cycles_momentum=*/false, /*each_step=*/true},
    {"cosine-restarts:t_0=1,t_mult=3", "CosineAnnealingWarmRestarts(o, 5, 3)", 100, 5,
     /*cycles_momentum=*/false, /*each_step=*/true},
    {"cosine-restarts:t_mult=2", "CosineAnnealingWarmRestarts(o, 10, 2)", 71, 1},
    {"warmup:steps=9,start=0.1,then=constant", "LinearLR(o, 0.1, total_iters=9)", 20, 1},
    {"onecycle", "OneCycleLR(o, 0.4, total)", 7, 1, true},
    {"onecycle", "OneCycleLR(o, 0.4, total)", 40, 1, true},
    {"onecycle:max_lr=1.5", "OneCycleLR(o, 1.5, total)", 101, 1, true},
    {"onecycle:three_phase=true", "OneCycleLR(o, 0.4, total, three_phase=True)", 50, 1, true},
    {"onecycle:cycle_momentum=false", "OneCycleLR(o, 0.4, total, cycle_momentum=False)", 9, 1},
    {"onecycle:anneal_strategy=linear,pct_start=0.4,div_factor=7,final_div_factor=30,"
     "base_momentum=0.8,max_momentum=0.9",
     "OneCycleLR(o, 0.4, total, pct_start=0.4, anneal_strategy='linear', div_factor=7, "
     "final_div_factor=30, base_momentum=0.8, max_momentum=0.9)",
     53, 1, true},
};

// For each (expression, total, steps between its own) prints rate and momentum at each step, with
// SGD's momentum, then again with Adam's first beta.
constexpr const char* kScheduleCode = R"(
import sys, warnings
import torch
from torch.optim.lr_scheduler import *
warnings.filterwarnings('ignore')
p = torch.zeros(1, requires_grad=True)
p.grad = torch.zeros(1)
for i in range(1, len(sys.argv), 3):
    total, every = int(sys.argv[i + 1]), int(sys.argv[i + 2])
    for o in torch.optim.SGD([p], lr=0.4, momentum=0.9), torch.optim.Adam([p], lr=0.4):
        s = eval(sys.argv[i])
        for step in range(total):
            group = o.param_groups[0]
            momentum = group['momentum'] if 'momentum' in group else group['betas'][0]
            print('%.17g %.17g' % (group['lr'], momentum))
            o.step()
            if (step + 1) % every == 0 and step + 1 < total: s.step()
)";

void expect_schedule_like_python(const ScheduleCounterpart& pair, std::istream& output) {
  SCOPED_TRACE(pair.theirs);
  const Schedule schedule = make_schedule(
      pair.ours,
      {.lr = kScheduledRate, .total_steps = pair.total, .epochs = Epochs(pair.steps_per_epoch)});
  for (std::int64_t i = 0; i < 2 * pair.total; ++i) {
    const std::int64_t step = i % pair.total;
    double lr = 0, momentum = 0;
    ASSERT_TRUE(output >> lr >> momentum) << "no line for step " << step;
    const Rates rates = schedule(step);
    // PyTorch computes some of its rates from the rate before, which adds up roundings.
    EXPECT_NEAR(rates.lr, lr, 1e-7 * lr) << "step " << step;
    ASSERT_EQ(rates.momentum.has_value(), pair.cycles_momentum);
    EXPECT_NEAR(rates.momentum.value_or(momentum), momentum, 1e-7) << "step " << step;
  }
}

TEST(Schedules, EqualPythonsAtEveryStep) {
  auto output =
      test::ask_python(kScheduleCode, kScheduleCounterparts, [](const ScheduleCounterpart& pair) {
        return std::vector{pair.theirs, std::to_string(pair.total),
                           std::to_string(pair.each_step ? 1 : pair.steps_per_epoch)};
      });
  if (!output) GTEST_SKIP() << "Python has no torch to compare with";
  for (const auto& pair : kScheduleCounterparts) expect_schedule_like_python(pair, *output);
}

}  // namespace
}  // namespace yoke

// yoke/optim/schedules/multi_step.cpp: down by a factor at the epochs that are given; PyTorch's
// MultiStepLR, stepped once an epoch. The default milestones are those of Goyal et al. 2017.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/optim/schedule.h"

namespace yoke {
namespace {

using Milestones = std::vector<std::int64_t>;

struct MultiStepOptions {
  Milestones milestones = {30, 60, 80};
  double gamma = 0.1;
};

std::optional<Milestones> parse_milestones(const std::string& text) {
  Milestones milestones;
  for (const auto part : split(text, '+')) {
    const auto epoch = parse_number<std::int64_t>(part, 1);
    if (!epoch || (!milestones.empty() && *epoch <= milestones.back())) return std::nullopt;
    milestones.push_back(*epoch);
  }
  return milestones;
}

OptionFormat<Milestones> milestones_format() {
  return {
      .kind = OptionKind::kText,
      .allowed =
          [] { return std::string("rising whole numbers of at least 1, joined by +: 10+15"); },
      .parse = parse_milestones,
      .print = [](const Milestones& epochs) { return fmt::format("{}", fmt::join(epochs, "+")); }};
}

Schedule make_multi_step(const ScheduleInput& input, const MultiStepOptions& options) {
  return [input, options](std::int64_t step) {
    const auto& milestones = options.milestones;
    const auto next = std::upper_bound(milestones.begin(), milestones.end(), input.epochs.at(step));
    const auto stairs = static_cast<double>(next - milestones.begin());
    return Rates{.lr = input.lr * std::pow(options.gamma, stairs)};
  };
}

}  // namespace

SchedulePlugin multi_step_schedule() {
  using O = MultiStepOptions;
  const OptionTable<O> options = {
      {"milestones", &O::milestones, milestones_format(), "epochs after which the rate falls"},
      {"gamma", &O::gamma, in(0, 1), "factor of each milestone"}};
  return {options, make_multi_step};
}

}  // namespace yoke

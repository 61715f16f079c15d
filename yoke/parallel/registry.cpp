#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/strategy.h"

namespace yoke {

#define STRATEGY(id, help) StrategyPlugin id##_strategy();
#include "yoke/parallel/strategies.def"
#undef STRATEGY

const Registry<StrategyPlugin>& strategies() {
  static const Registry<StrategyPlugin> registry("strategy", {
#define STRATEGY(id, help) {plugin_name(#id), help, id##_strategy()},
#include "yoke/parallel/strategies.def"
#undef STRATEGY
                                                             });
  return registry;
}

std::unique_ptr<Strategy> make_strategy(std::string_view text, const StrategyContext& context) {
  return strategies().choose(text).make(context);
}

forecast::StrategyPlan plan_strategy(std::string_view text) {
  const auto plan = strategies().choose(text).traits.plan;
  try {
    if (!plan) refuse_plan("it", "give another strategy; see 'yoke list strategies'");
    forecast::StrategyPlan found = plan();
    found.text = std::string(text);
    return found;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--strategy {}: {}", text, error.what()));
  }
}

void refuse_plan(const char* what, const char* instead) {
  throw UsageError(fmt::format("yoke forecast has no model of {}; {}", what, instead));
}

}  // namespace yoke

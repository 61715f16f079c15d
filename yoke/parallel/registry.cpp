#include "yoke/parallel/strategy.h"

namespace yoke {

#define STRATEGY(id, help) \
  std::unique_ptr<Strategy> make_##id(const StrategyContext& context, Options& options);
#include "yoke/parallel/strategies.def"
#undef STRATEGY

const Registry<MakeStrategy>& strategies() {
  static const Registry<MakeStrategy> registry("strategy", {
#define STRATEGY(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/parallel/strategies.def"
#undef STRATEGY
                                                           });
  return registry;
}

std::unique_ptr<Strategy> make_strategy(std::string_view text, const StrategyContext& context) {
  Choice choice = Choice::parse(text, strategies().kind());
  auto strategy = strategies().find(choice.name).make(context, choice.options);
  choice.options.finish();
  return strategy;
}

bool gathers_values(std::string_view text) {
  return Choice::parse(text, strategies().kind()).options.get("shard_state", false);
}

}  // namespace yoke

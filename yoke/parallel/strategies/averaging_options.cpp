#include "yoke/parallel/strategies/averaging_options.h"

#include <limits>
#include <string>

#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

constexpr const char* kNone = "none";
constexpr const char* kNesterov = "nesterov";

OptionTable<OuterOptimizer> outer_options() {
  using O = OuterOptimizer;
  return {{"lr", &O::lr, at_least(0), "of the step from the last mean to the new one"},
          {"momentum", &O::momentum, in(0, 1), "Nesterov's"}};
}

std::string print_outer(const std::optional<OuterOptimizer>& outer) {
  if (!outer) return kNone;
  std::string text = kNesterov;
  char before = ':';
  for (const auto& pair : outer_options().pairs(*outer)) {
    text += before + pair.key + "=" + pair.value;
    before = '+';
  }
  return text;
}

std::optional<std::optional<OuterOptimizer>> parse_outer(const std::string& text) {
  Choice choice = Choice::parse_inner(text, "outer optimizer");
  if (choice.name != kNone && choice.name != kNesterov) return std::nullopt;
  std::optional<OuterOptimizer> outer;
  if (choice.name == kNesterov) outer = outer_options().read(choice.options);
  choice.options.finish();
  return outer;
}

OptionFormat<std::optional<OuterOptimizer>> outer_format() {
  return {.kind = OptionKind::kWord,
          .allowed = [] { return fmt::format("{}, {}", kNone, print_outer(OuterOptimizer())); },
          .parse = parse_outer,
          .print = print_outer};
}

}  // namespace

OptionTable<AveragingOptions> averaging_options() {
  using O = AveragingOptions;
  return {
      {"every", &O::every, at_least(1), or_word("end"),
       "steps between two means; `end`: one mean, after the last step"},
      {"warmup", &O::warmup, at_least(0), "so many epochs of all-reduce first"},
      {"start",
       &O::own_start,
       {{"same", false}, {"own", true}},
       "`own`: ranks begin with parameters of their own, as independent workers would"},
      {"outer", &O::outer, outer_format(), "an outer optimizer, see below"},
      {"momentum",
       &O::momentum,
       {{"keep", StateAtMean::kKeep},
        {"reset", StateAtMean::kReset},
        {"average", StateAtMean::kAverage}},
       "what becomes of the optimizer's state at a mean: each rank keeps its own, all `reset` it "
       "to "
       "zero, or take its `average`"},
      {"evaluate",
       &O::evaluate,
       {{"mean", Evaluated::kMean}, {"each", Evaluated::kEach}},
       "what evaluations measure: the mean, or before it `each` rank's own parameters, too"},
  };
}

forecast::StrategyPlan plan_averaging(const AveragingOptions& options) {
  if (options.warmup > 0) {
    refuse_plan("warmup", "ask for allreduce for these epochs and averaging for the others");
  }
  return {.kind = forecast::StrategyKind::kAveraging,
          .every = options.every ? static_cast<double>(*options.every)
                                 : std::numeric_limits<double>::infinity(),
          .extra_vectors = options.outer ? 3 : 1};
}

}  // namespace yoke

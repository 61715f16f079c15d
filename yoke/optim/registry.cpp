#include "yoke/core/error.h"
#include "yoke/optim/clip.h"
#include "yoke/optim/frozen.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/scaled_rates.h"

namespace yoke {

#define OPTIMIZER(id, help) OptimizerPlugin id##_optimizer();
#include "yoke/optim/optimizers.def"
#undef OPTIMIZER

namespace {

/// What every optimizer has.
struct CommonOptions {
  double clip = 0;
  NoDecay no_decay = NoDecay::kNone;
};

OptionTable<CommonOptions> common_options() {
  using O = CommonOptions;
  return {
      {"clip", &O::clip, at_least(0),
       "a gradient with a longer Euclidean norm, over all parameters, is scaled down to this one, "
       "as by PyTorch's `clip_grad_norm_`; 0: never; not where a step has a line search"},
      {"no_decay",
       &O::no_decay,
       {{"none", NoDecay::kNone}, {"bias", NoDecay::kBias}, {"norm+bias", NoDecay::kNormAndBias}},
       "what weight decay leaves as it is: parameters called `bias`; with `norm+bias` all of one "
       "dimension, too, as the scales of norms; not where there is no weight decay"},
  };
}

void clip(OptimizerPlugin::Chosen& chosen, const std::string& name, double most) {
  if (!chosen.traits.first_order) {
    throw UsageError(fmt::format(
        "optimizer '{}' was given clip; a gradient that is clipped is not that of the loss, "
        "which its line search compares with it: leave clip out, the line search bounds the step",
        name));
  }
  chosen.traits.elementwise = false;
  chosen.make = [make = chosen.make, most](const Shard& shard) {
    return make_clipped(make(shard), shard, most);
  };
}

void leave_decay_off(OptimizerPlugin::Chosen& chosen, const std::string& name, NoDecay rule) {
  if (!chosen.traits.can_leave_decay_off) {
    throw UsageError(fmt::format(
        "optimizer '{}' was given no_decay, but has no weight decay that it could leave off: leave "
        "no_decay out, or give an optimizer that has: sgd, adamw",
        name));
  }
  chosen.make = [make = chosen.make, rule](Shard shard) {
    shard.no_decay = rule;
    return make(shard);
  };
}

OptimizerPlugin with_common_options(const std::string& name, const OptimizerPlugin& plugin) {
  const auto apply = [name](OptimizerPlugin::Chosen& chosen, const CommonOptions& options) {
    if (options.no_decay != NoDecay::kNone) leave_decay_off(chosen, name, options.no_decay);
    if (options.clip != 0) clip(chosen, name, options.clip);
  };
  return plugin.with(common_options(), apply);
}

}  // namespace

const Registry<OptimizerPlugin>& optimizers() {
  static const Registry<OptimizerPlugin> registry("optimizer", {
#define OPTIMIZER(id, help) \
  {plugin_name(#id), help, with_common_options(plugin_name(#id), id##_optimizer())},
#include "yoke/optim/optimizers.def"
#undef OPTIMIZER
                                                               });
  return registry;
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view text, const Shard& shard) {
  const auto chosen = optimizers().choose(text);
  return leave_frozen(
      [&](const Shard& learning) {
        return scale_rates(chosen.make(learning), learning, chosen.traits.first_order);
      },
      shard);
}

}  // namespace yoke

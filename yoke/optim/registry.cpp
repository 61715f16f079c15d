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
struct ClipOptions {
  double clip = 0;
};

OptimizerPlugin with_clip(const std::string& name, const OptimizerPlugin& plugin) {
  const OptionTable<ClipOptions> table = {
      {"clip", &ClipOptions::clip, at_least(0),
       "a gradient with a longer Euclidean norm, over all parameters, is scaled down to this one, "
       "as by PyTorch's `clip_grad_norm_`; 0: never; not where a step has a line search"}};
  return plugin.with(table, [name](OptimizerPlugin::Chosen& chosen, const ClipOptions& options) {
    if (options.clip == 0) return;
    if (!chosen.traits.first_order) {
      throw UsageError(fmt::format(
          "optimizer '{}' was given clip; a gradient that is clipped is not that of the loss, "
          "which its line search compares with it: leave clip out, the line search bounds the step",
          name));
    }
    chosen.traits.elementwise = false;
    chosen.make = [make = chosen.make, most = options.clip](const Shard& shard) {
      return make_clipped(make(shard), shard, most);
    };
  });
}

}  // namespace

const Registry<OptimizerPlugin>& optimizers() {
  static const Registry<OptimizerPlugin> registry("optimizer", {
#define OPTIMIZER(id, help) {plugin_name(#id), help, with_clip(plugin_name(#id), id##_optimizer())},
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

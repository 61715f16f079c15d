#include "yoke/optim/clip.h"
#include "yoke/optim/frozen.h"
#include "yoke/optim/optimizer.h"

namespace yoke {

#define OPTIMIZER(id, help) \
  std::unique_ptr<Optimizer> make_##id(const Shard& shard, Options& options);
#include "yoke/optim/optimizers.def"
#undef OPTIMIZER

const Registry<MakeOptimizer>& optimizers() {
  static const Registry<MakeOptimizer> registry("optimizer", {
#define OPTIMIZER(id, help) {plugin_name(#id), help, &make_##id},
#include "yoke/optim/optimizers.def"
#undef OPTIMIZER
                                                             });
  return registry;
}

std::unique_ptr<Optimizer> make_optimizer(std::string_view text, const Shard& shard) {
  Choice choice = Choice::parse(text, optimizers().kind());
  const auto& entry = optimizers().find(choice.name);
  std::unique_ptr<Optimizer> optimizer = entry.make(shard, choice.options);
  const double clip = choice.options.get("clip", 0.0, 0.0);  // of every optimizer; 0: not at all
  choice.options.finish();
  if (clip > 0) optimizer = make_clipped(std::move(optimizer), shard, clip);
  return leave_frozen(std::move(optimizer), shard);
}

}  // namespace yoke

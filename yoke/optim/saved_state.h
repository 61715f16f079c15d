// yoke/optim/saved_state.h: checkpoints of runs that carried something else from step to step.
#pragma once
#include <set>
#include <string>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// `saved`, state of a checkpoint, for a run whose tensors of these `names` are `own`, or that has
/// none of them: without any in the checkpoint the run keeps its own; some too many are left out.
NamedTensors with_own_state(NamedTensors saved, const std::set<std::string>& names,
                            const NamedTensors& own);

}  // namespace yoke

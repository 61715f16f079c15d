// yoke/train/checkpoints/wrapper_names.h: names that wrappers of a module put before its tensors'.
#pragma once
#include "yoke/core/named_tensors.h"

namespace yoke {

/// Takes `module.` of DataParallel and `_orig_mod.` of torch.compile off the names of `given`, also
/// both, as long as all of them begin with it; but not where all of `wanted`, the tensors of the
/// model, do too.
void strip_wrapper_names(NamedTensors& given, const NamedTensors& wanted);

}  // namespace yoke

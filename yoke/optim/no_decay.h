// yoke/optim/no_decay.h: parameters that weight decay leaves as they are.
#pragma once
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/optim/ranges.h"

namespace yoke {

/// Which parameters have no weight decay. kBias: those of whose name the last part is `bias`;
/// kNormAndBias: those, and all of at most one dimension, as the scales of norms are (the rule of
/// timm's param_groups_weight_decay).
enum class NoDecay { kNone, kBias, kNormAndBias };

/// Whether weight decay leaves the parameter of `slice` as it is.
bool leaves_off(NoDecay rule, const ParameterSlice& slice);

/// The elements of all such parameters, rising, neighbours as one range.
std::vector<ElementRange> undecayed_ranges(const FlatParameters& parameters, NoDecay rule);

}  // namespace yoke

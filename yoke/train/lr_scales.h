// yoke/train/lr_scales.h: parts of a network that learn at a rate of their own.
#pragma once
#include <string_view>

#include "yoke/core/flat_parameters.h"

namespace yoke {

/// Gives `parameters`, those of `module`, the learning rates that `text`, `PARTS=X[,PARTS=X...]`,
/// says: PARTS as parameters_of() reads them, X from 0 to 1000. @throws UsageError on anything
/// else, and on a parameter that is named twice.
void scale_rates_of(FlatParameters& parameters, const torch::nn::Module& module,
                    std::string_view text);

}  // namespace yoke

// yoke/engine/compiled/layers/parameter_operand.h: sums and products with a parameter.
#pragma once
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {

/// Lowers aten::add(input, parameter): the bias [F] of a linear layer over the last dimension, or
/// what is added to each pixel [1, P, C].
void lower_added_parameter(Lowering& lowering);

/// Lowers aten::mul(input, parameter [C, 1, 1]).
void lower_channel_scale(Lowering& lowering);

}  // namespace yoke::compiled

// yoke/engine/compiled/layers/parameter_operand.h: sums and products with a parameter.
#pragma once
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {

/// Lowers aten::add of what flows and the parameter that is argument `i` of the two: the bias [F]
/// of a linear layer over the last dimension, or what is added to each pixel [1, P, C].
void lower_added_parameter(Lowering& lowering, std::size_t i);

/// Lowers aten::mul of what flows and the parameter that is argument `i` of the two, of one number
/// for each channel: [C, 1, 1] or, where channels are last, [C].
void lower_channel_scale(Lowering& lowering, std::size_t i);

}  // namespace yoke::compiled

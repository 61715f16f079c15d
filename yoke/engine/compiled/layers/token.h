// yoke/engine/compiled/layers/token.h: a parameter put before the pixels of each image.
#pragma once
#include "yoke/engine/compiled/memory/parameters.h"

namespace yoke::compiled {

class Lowering;

/// Lowers aten::cat([token repeated for each image, pixels [N, P, C]], 1).
void lower_token(Lowering& lowering, ParameterId token);

}  // namespace yoke::compiled

// yoke/engine/compiled/layers/attention.h: attention of pixels to pixels.
#pragma once
#include "yoke/engine/compiled/graph/attention.h"

namespace yoke::compiled {

/// Adds the layer that gives the node's result, [N, P, D], of the value of `piece`.
void add_attention(Lowering& lowering, const AttentionPiece& piece);

}  // namespace yoke::compiled

// yoke/engine/compiled/graph/attention_dimensions.h: operators on pieces of attention that only
// move their dimensions.
#pragma once
#include <utility>

#include "yoke/engine/compiled/graph/attention.h"
#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {

/// Leaves the node to LibTorch.
[[noreturn]] void refuse_piece(const Lowering& lowering);

/// [P, D] of queries, keys or values.
std::pair<std::int64_t, std::int64_t> sizes_of(const Lowering& lowering,
                                               const AttentionSource& source);

/// prim::ListUnpack: the three of a list.
void unpack(Lowering& lowering, AttentionPiece piece);

/// aten::unbind(input, dim), aten::select(input, dim, index): of the three.
AttentionPiece taken_apart(const Lowering& lowering, AttentionPiece piece);

/// aten::view, aten::reshape, aten::flatten: channels to heads, or heads to channels, which ends
/// attention.
void reshape(Lowering& lowering, AttentionPiece piece);

/// aten::permute(input, dims), aten::transpose(input, dim0, dim1)
AttentionPiece turned(const Lowering& lowering, AttentionPiece piece);

}  // namespace yoke::compiled

// yoke/engine/compiled/graph/attention.h: finds attention among the operators that it is made of.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "yoke/engine/compiled/graph/layer_graph.h"

namespace torch::jit {
struct Value;
}

namespace yoke::compiled {

class Lowering;

/// What a traced tensor is on the way from queries, keys and values, which are the thirds of the
/// channels of one value [N, P, 3 D], to what attention makes of them.
struct AttentionPiece {
  enum class Kind {
    kThirds,         ///< The list of three [N, P, D].
    kThird,          ///< [N, P, D].
    kHeadsLast,      ///< [N, P, heads, D / heads].
    kHeads,          ///< [N, heads, P, D / heads].
    kTransposed,     ///< [N, heads, D / heads, P].
    kScores,         ///< [N, heads, P, P].
    kProbabilities,  ///< Their softmax.
    kMixed,          ///< [N, heads, P, D / heads].
    kMixedLast,      ///< [N, P, heads, D / heads].
  };

  Kind kind = Kind::kThirds;
  ValueId all = -1;        ///< [N, P, 3 D].
  std::size_t third = 0;   ///< 0 of queries, 1 of keys, 2 of values.
  std::int64_t heads = 0;  ///< Once it has any.
  double factor = 1;       ///< Of the scores.
};

/// By the traced tensors that they are.
using AttentionPieces = std::unordered_map<const torch::jit::Value*, AttentionPiece>;

/// Lowers the node at which `lowering` is where it is one of attention's; false where it is not.
bool lower_attention_piece(Lowering& lowering);

}  // namespace yoke::compiled

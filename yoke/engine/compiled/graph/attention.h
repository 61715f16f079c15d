// yoke/engine/compiled/graph/attention.h: finds attention among the operators that it is made of.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "yoke/engine/compiled/graph/layer_graph.h"

namespace torch::jit {
struct Value;
}

namespace yoke::compiled {

class Lowering;

/// Part of the channels of a value [N, P, parts D]: D of them.
struct AttentionSource {
  ValueId value = -1;
  std::int64_t part = 0;
  std::int64_t parts = 1;
};

/// What a traced tensor is on the way from queries, keys and values, which are values [N, P, D] or
/// the thirds of the channels of one value [N, P, 3 D], to what attention makes of them.
struct AttentionPiece {
  enum class Kind {
    kThirds,           ///< The list of three [N, P, D].
    kChannels,         ///< [N, P, D].
    kSplit,            ///< [N, P, 3, heads, D / heads].
    kSplitFirst,       ///< [3, N, heads, P, D / heads].
    kListOfHeads,      ///< Of three kHeads.
    kListOfHeadsLast,  ///< Of three kHeadsLast.
    kHeadsLast,        ///< [N, P, heads, D / heads].
    kHeads,            ///< [N, heads, P, D / heads].
    kTransposed,       ///< [N, heads, D / heads, P].
    kScores,           ///< [N, heads, P, P].
    kProbabilities,    ///< Their softmax.
    kMixed,            ///< [N, heads, P, D / heads].
    kMixedLast,        ///< [N, P, heads, D / heads].
  };

  Kind kind;
  std::vector<AttentionSource> of;  ///< Queries; keys, from the scores on; values, once mixed.
  std::int64_t heads = 0;           ///< Once it has any.
  double factor = 1;                ///< Of the scores.
};

/// By the traced tensors that they are.
using AttentionPieces = std::unordered_map<const torch::jit::Value*, AttentionPiece>;

/// Lowers the node at which `lowering` is where it is one of attention's; false where it is not.
bool lower_attention_piece(Lowering& lowering);

}  // namespace yoke::compiled

#include "yoke/engine/compiled/graph/attention_dimensions.h"

#include <algorithm>
#include <numeric>

#include "yoke/engine/compiled/layers/attention.h"

namespace yoke::compiled {
namespace {

using Kind = AttentionPiece::Kind;

/// The dimensions of the argument in the order of those of the result.
std::vector<std::int64_t> order_of_dimensions(const Lowering& lowering, std::int64_t dimensions) {
  const auto from_zero = [&](std::int64_t i) { return (i + dimensions) % dimensions; };
  std::vector<std::int64_t> order(static_cast<std::size_t>(dimensions));
  if (lowering.op() == "aten::permute") {
    std::ranges::transform(lowering.integers(1), order.begin(), from_zero);
  } else {
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(from_zero(lowering.integer(1)))],
              order[static_cast<std::size_t>(from_zero(lowering.integer(2)))]);
  }
  return order;
}

}  // namespace

[[noreturn]] void refuse_piece(const Lowering& lowering) {
  lowering.unsupported(
      "queries, keys and values of attention compile in the usual order of operators, and of that "
      "this is no part");
}

std::pair<std::int64_t, std::int64_t> sizes_of(const Lowering& lowering,
                                               const AttentionSource& source) {
  const ImageShape& all = lowering.shape_of(source.value).shape;
  return {all.width, all.channels / source.parts};
}

void unpack(Lowering& lowering, AttentionPiece piece) {
  const bool channels = piece.kind == Kind::kThirds, heads = piece.kind == Kind::kListOfHeads;
  if (!channels && !heads && piece.kind != Kind::kListOfHeadsLast) refuse_piece(lowering);
  piece.kind = channels ? Kind::kChannels : heads ? Kind::kHeads : Kind::kHeadsLast;
  for (const auto* const output : lowering.node().outputs()) {
    lowering.attention()[output] = piece;
    ++piece.of.front().part;
  }
}

AttentionPiece taken_apart(const Lowering& lowering, AttentionPiece piece) {
  const bool first = piece.kind == Kind::kSplitFirst;
  const std::int64_t dimension = (lowering.integer(1) + 5) % 5;
  if ((!first && piece.kind != Kind::kSplit) || dimension != (first ? 0 : 2)) {
    refuse_piece(lowering);
  }
  if (lowering.op() == "aten::unbind") {
    piece.kind = first ? Kind::kListOfHeads : Kind::kListOfHeadsLast;
  } else {
    piece.kind = first ? Kind::kHeads : Kind::kHeadsLast;
    piece.of.front().part = (lowering.integer(2) + 3) % 3;
  }
  return piece;
}

void reshape(Lowering& lowering, AttentionPiece piece) {
  const auto sizes = lowering.output_sizes();
  const auto [pixels, channels] = sizes_of(lowering, piece.of.front());
  if (piece.kind == Kind::kChannels && sizes.size() == 4 && sizes[1] == pixels &&
      sizes[2] * sizes[3] == channels) {
    piece.kind = Kind::kHeadsLast;
    piece.heads = sizes[2];
    lowering.attention()[lowering.node().output()] = piece;
  } else if (piece.kind == Kind::kMixedLast && sizes.size() == 3 && sizes[2] == channels) {
    add_attention(lowering, piece);
  } else {
    refuse_piece(lowering);
  }
}

AttentionPiece turned(const Lowering& lowering, AttentionPiece piece) {
  struct Turn {
    Kind from;
    std::vector<std::int64_t> order;
    Kind to;
  };
  static const std::vector<Turn> turns = {{Kind::kSplit, {2, 0, 3, 1, 4}, Kind::kSplitFirst},
                                          {Kind::kHeadsLast, {0, 2, 1, 3}, Kind::kHeads},
                                          {Kind::kHeadsLast, {0, 2, 3, 1}, Kind::kTransposed},
                                          {Kind::kHeads, {0, 1, 3, 2}, Kind::kTransposed},
                                          {Kind::kMixed, {0, 2, 1, 3}, Kind::kMixedLast}};
  for (const Turn& turn : turns) {
    if (turn.from != piece.kind) continue;
    if (turn.order != order_of_dimensions(lowering, static_cast<std::int64_t>(turn.order.size()))) {
      continue;
    }
    piece.kind = turn.to;
    return piece;
  }
  refuse_piece(lowering);
}

}  // namespace yoke::compiled

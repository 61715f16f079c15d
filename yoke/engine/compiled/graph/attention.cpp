#include "yoke/engine/compiled/graph/attention.h"

#include <algorithm>
#include <string>

#include "yoke/engine/compiled/graph/lowering.h"
#include "yoke/engine/compiled/layers/attention.h"

namespace yoke::compiled {
namespace {

using Kind = AttentionPiece::Kind;

const AttentionPiece* find_piece(Lowering& lowering, std::size_t i) {
  const auto& inputs = lowering.node().inputs();
  if (i >= inputs.size()) return nullptr;
  const auto found = lowering.attention().find(inputs[i]);
  return found == lowering.attention().end() ? nullptr : &found->second;
}

[[noreturn]] void refuse_piece(const Lowering& lowering) {
  lowering.unsupported(
      "thirds of channels compile as queries, keys and values of attention, and of that this is "
      "no part");
}

bool begins(const Lowering& lowering) {
  return lowering.op() == "aten::chunk" && lowering.is_value(0) &&
         lowering.order_of(0) == Order::kChannelsLast && lowering.integer(1) == 3 &&
         (lowering.integer(2) == -1 || lowering.integer(2) == 2) &&
         lowering.shape_of(lowering.value_in_any_order(0)).shape.height == 1;
}

void unpack(Lowering& lowering, AttentionPiece piece) {
  piece.kind = Kind::kThird;
  for (const auto* const output : lowering.node().outputs()) {
    lowering.attention()[output] = piece;
    ++piece.third;
  }
}

/// aten::view or aten::reshape.
void reshape(Lowering& lowering, AttentionPiece piece) {
  const auto sizes = lowering.output_sizes();
  const ImageShape all = lowering.shape_of(piece.all).shape;
  const std::int64_t channels = all.channels / 3;
  if (piece.kind == Kind::kThird && sizes.size() == 4 && sizes[1] == all.width &&
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

Kind swapped(const Lowering& lowering, Kind kind) {
  const std::int64_t a = (lowering.integer(1) + 4) % 4, b = (lowering.integer(2) + 4) % 4;
  const std::pair<std::int64_t, std::int64_t> dimensions = std::minmax(a, b);
  if (dimensions == std::pair<std::int64_t, std::int64_t>{1, 2}) {
    if (kind == Kind::kHeadsLast) return Kind::kHeads;
    if (kind == Kind::kMixed) return Kind::kMixedLast;
  }
  const bool last_two = dimensions == std::pair<std::int64_t, std::int64_t>{2, 3};
  if (last_two && kind == Kind::kHeads) return Kind::kTransposed;
  refuse_piece(lowering);
}

AttentionPiece product(Lowering& lowering, AttentionPiece a, const AttentionPiece& b) {
  const bool alike = a.all == b.all && a.heads == b.heads;
  if (alike && a.kind == Kind::kHeads && a.third == 0 && b.kind == Kind::kTransposed &&
      b.third == 1) {
    a.kind = Kind::kScores;
    a.factor *= b.factor;
    return a;
  }
  if (alike && a.kind == Kind::kProbabilities && b.kind == Kind::kHeads && b.third == 2 &&
      b.factor == 1) {
    a.kind = Kind::kMixed;
    return a;
  }
  refuse_piece(lowering);
}

AttentionPiece probabilities(Lowering& lowering, AttentionPiece piece) {
  const bool of_last = lowering.integer(1) == -1 || lowering.integer(1) == 3;
  if (piece.kind != Kind::kScores || !of_last) refuse_piece(lowering);
  piece.kind = Kind::kProbabilities;
  return piece;
}

AttentionPiece scaled(Lowering& lowering, AttentionPiece piece) {
  const bool has_factor =
      piece.kind == Kind::kHeads || piece.kind == Kind::kTransposed || piece.kind == Kind::kScores;
  if (!has_factor || find_piece(lowering, 1) != nullptr) refuse_piece(lowering);
  const double number = lowering.number(1);
  piece.factor *= lowering.op() == "aten::div" ? 1 / number : number;
  return piece;
}

AttentionPiece kept(Lowering& lowering, const AttentionPiece& piece) {
  const bool drops = lowering.op() == "aten::dropout" && lowering.flag(2) && lowering.number(1) > 0;
  if (drops) lowering.unsupported("it drops probabilities of attention");
  return piece;
}

}  // namespace

bool lower_attention_piece(Lowering& lowering) {
  auto& pieces = lowering.attention();
  if (begins(lowering)) {
    pieces[lowering.node().output()] = {.all = lowering.value_in_any_order(0)};
    return true;
  }
  const AttentionPiece *const first = find_piece(lowering, 0), *const second =
                                                                   find_piece(lowering, 1);
  if (first == nullptr && second == nullptr) return false;
  if (first == nullptr) refuse_piece(lowering);
  const AttentionPiece piece = *first;
  const std::string op = lowering.op();
  const auto result = [&](AttentionPiece made) { pieces[lowering.node().output()] = made; };
  if (op == "prim::ListUnpack") {
    unpack(lowering, piece);
  } else if (op == "aten::view" || op == "aten::reshape") {
    reshape(lowering, piece);
  } else if (op == "aten::transpose") {
    AttentionPiece swapped_piece = piece;
    swapped_piece.kind = swapped(lowering, piece.kind);
    result(swapped_piece);
  } else if (op == "aten::matmul" && second != nullptr) {
    result(product(lowering, piece, *second));
  } else if (op == "aten::softmax") {
    result(probabilities(lowering, piece));
  } else if (op == "aten::mul" || op == "aten::div") {
    result(scaled(lowering, piece));
  } else if (op == "aten::contiguous" || op == "aten::dropout") {
    result(kept(lowering, piece));
  } else {
    refuse_piece(lowering);
  }
  return true;
}

}  // namespace yoke::compiled

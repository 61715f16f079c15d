#include "yoke/engine/compiled/graph/attention.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "yoke/engine/compiled/graph/attention_dimensions.h"
#include "yoke/engine/compiled/layers/reshape.h"

namespace yoke::compiled {
namespace {

using Kind = AttentionPiece::Kind;

const AttentionPiece* find_piece(Lowering& lowering, std::size_t i) {
  const auto& inputs = lowering.node().inputs();
  if (i >= inputs.size()) return nullptr;
  const auto found = lowering.attention().find(inputs[i]);
  return found == lowering.attention().end() ? nullptr : &found->second;
}

bool is_reshape(const Lowering& lowering) {
  const std::string op = lowering.op();
  return op == "aten::view" || op == "aten::reshape" || op == "aten::flatten";
}

/// Whether the node is a list of the thirds of `channels`, which are in dimension 2 of three.
bool takes_thirds(const Lowering& lowering, std::int64_t channels) {
  const std::string op = lowering.op();
  if ((op != "aten::chunk" && op != "aten::split") || channels % 3 != 0) return false;
  const std::int64_t dimension = lowering.integer(2);
  return (dimension == -1 || dimension == 2) &&
         lowering.integer(1) == (op == "aten::chunk" ? 3 : channels / 3);
}

/// What the node makes of a value [N, P, C], where attention may begin so.
std::optional<AttentionPiece> beginning(const Lowering& lowering) {
  if (lowering.arguments() == 0 || !lowering.is_value(0)) return std::nullopt;
  if (lowering.order_of(0) != Order::kChannelsLast) return std::nullopt;
  const ValueId value = lowering.value_in_any_order(0);
  const auto [channels, height, pixels] = lowering.shape_of(value).shape;
  if (height != 1) return std::nullopt;
  if (takes_thirds(lowering, channels)) {
    return AttentionPiece{.kind = Kind::kThirds, .of = {{value, 0, 3}}};
  }
  if (!is_reshape(lowering)) return std::nullopt;
  const auto sizes = lowering.output_sizes();
  if (sizes.size() < 4 || sizes[1] != pixels) return std::nullopt;
  if (sizes.size() == 4 && sizes[2] * sizes[3] == channels) {
    return AttentionPiece{.kind = Kind::kHeadsLast, .of = {{value, 0, 1}}, .heads = sizes[2]};
  }
  if (sizes.size() == 5 && sizes[2] == 3 && 3 * sizes[3] * sizes[4] == channels) {
    return AttentionPiece{.kind = Kind::kSplit, .of = {{value, 0, 3}}, .heads = sizes[3]};
  }
  return std::nullopt;
}

/// Whether the heads of `b` are as those of `a`, of as many pixels.
bool are_alike(const Lowering& lowering, const AttentionPiece& a, const AttentionPiece& b) {
  return a.heads == b.heads && sizes_of(lowering, a.of.front()) == sizes_of(lowering, b.of.front());
}

AttentionPiece product(const Lowering& lowering, AttentionPiece a, const AttentionPiece& b) {
  const bool scores = a.kind == Kind::kHeads && b.kind == Kind::kTransposed;
  const bool mixes = a.kind == Kind::kProbabilities && b.kind == Kind::kHeads && b.factor == 1;
  if ((!scores && !mixes) || !are_alike(lowering, a, b)) refuse_piece(lowering);
  a.kind = scores ? Kind::kScores : Kind::kMixed;
  a.factor *= b.factor;
  a.of.push_back(b.of.front());
  return a;
}

AttentionPiece probabilities(const Lowering& lowering, AttentionPiece piece) {
  const bool of_last = lowering.integer(1) == -1 || lowering.integer(1) == 3;
  if (piece.kind != Kind::kScores || !of_last) refuse_piece(lowering);
  piece.kind = Kind::kProbabilities;
  return piece;
}

AttentionPiece scaled(Lowering& lowering, AttentionPiece piece) {
  static const auto kinds = {Kind::kChannels, Kind::kHeadsLast, Kind::kHeads, Kind::kTransposed,
                             Kind::kScores};
  const bool has_factor = std::ranges::find(kinds, piece.kind) != kinds.end();
  if (!has_factor || find_piece(lowering, 1) != nullptr) refuse_piece(lowering);
  const double number = lowering.number(1);
  piece.factor *= lowering.op() == "aten::div" ? 1 / number : number;
  return piece;
}

/// aten::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale);
/// that heads share keys (enable_gqa) shows in their shapes.
AttentionPiece attended(Lowering& lowering, AttentionPiece queries) {
  const AttentionPiece *const keys = find_piece(lowering, 1), *const values =
                                                                  find_piece(lowering, 2);
  const bool all = keys != nullptr && values != nullptr && queries.kind == Kind::kHeads &&
                   keys->kind == Kind::kHeads && values->kind == Kind::kHeads &&
                   values->factor == 1 && are_alike(lowering, queries, *keys) &&
                   are_alike(lowering, queries, *values);
  if (!all) refuse_piece(lowering);
  if (!lowering.is_none(3) || lowering.flag(5)) lowering.unsupported("it masks scores");
  if (lowering.number(4) != 0) lowering.unsupported("it drops probabilities of attention");
  const auto [pixels, channels] = sizes_of(lowering, queries.of.front());
  const bool has_scale = lowering.arguments() > 6 && !lowering.is_none(6);
  const auto of_head = static_cast<double>(channels / queries.heads);
  queries.factor *= keys->factor * (has_scale ? lowering.number(6) : 1 / std::sqrt(of_head));
  queries.kind = Kind::kMixed;
  queries.of.insert(queries.of.end(), {keys->of.front(), values->of.front()});
  return queries;
}

AttentionPiece kept(const Lowering& lowering, const AttentionPiece& piece) {
  const bool drops = lowering.op() == "aten::dropout" && lowering.flag(2) && lowering.number(1) > 0;
  if (drops) lowering.unsupported("it drops probabilities of attention");
  if (lowering.op() == "aten::slice" && !is_whole_slice(lowering)) refuse_piece(lowering);
  return piece;
}

AttentionPiece next_piece(Lowering& lowering, const AttentionPiece& piece) {
  const AttentionPiece* const second = find_piece(lowering, 1);
  const std::string op = lowering.op();
  if (op == "aten::transpose" || op == "aten::permute") return turned(lowering, piece);
  if (op == "aten::unbind" || op == "aten::select") return taken_apart(lowering, piece);
  if (op == "aten::matmul" && second != nullptr) return product(lowering, piece, *second);
  if (op == "aten::softmax") return probabilities(lowering, piece);
  if (op == "aten::mul" || op == "aten::div") return scaled(lowering, piece);
  if (op == "aten::scaled_dot_product_attention") return attended(lowering, piece);
  if (op == "aten::contiguous" || op == "aten::dropout" || op == "aten::slice") {
    return kept(lowering, piece);
  }
  refuse_piece(lowering);
}

}  // namespace

bool lower_attention_piece(Lowering& lowering) {
  auto& pieces = lowering.attention();
  if (auto begun = beginning(lowering)) {
    pieces[lowering.node().output()] = *std::move(begun);
    return true;
  }
  const AttentionPiece* const piece = find_piece(lowering, 0);
  if (piece == nullptr) {
    if (find_piece(lowering, 1) != nullptr) refuse_piece(lowering);
    return false;
  }
  if (lowering.op() == "prim::ListUnpack") {
    unpack(lowering, *piece);
  } else if (is_reshape(lowering)) {
    reshape(lowering, *piece);
  } else {
    AttentionPiece next = next_piece(lowering, *piece);
    pieces[lowering.node().output()] = std::move(next);
  }
  return true;
}

}  // namespace yoke::compiled

// yoke/export/onnx/operators/shape.cpp: the same numbers in other places.
#include <limits>
#include <numeric>

#include "yoke/export/onnx/lowering.h"

namespace yoke::onnx_export {
namespace {

/// Of argument 0 along the axis that is argument 1.
void give_slice(Lowering& lowering, std::int64_t first, std::int64_t end, std::int64_t step) {
  std::vector<std::string> inputs = {lowering.value(0)};
  for (const std::int64_t number : {first, end, lowering.axis(1), step}) {
    inputs.push_back(lowering.constant(std::vector<std::int64_t>{number}));
  }
  lowering.give(lowering.add("Slice", inputs));
}

}  // namespace

/// Whatever its arguments are, the trace knows the sizes of its result.
void lower_reshape(Lowering& lowering) {
  std::vector<std::int64_t> sizes;
  int unknown = 0;
  for (const auto& size : lowering.output_sizes()) {
    sizes.push_back(size.value_or(-1));
    if (!size) ++unknown;
  }
  if (unknown > 1) lowering.unsupported("several sizes depend on the number of images");
  lowering.give(lowering.add("Reshape", {lowering.value(0), lowering.constant(sizes)}));
}

void lower_transpose(Lowering& lowering) {
  std::vector<std::int64_t> order(lowering.sizes(0).size());
  std::iota(order.begin(), order.end(), 0);
  const bool is_matrix = lowering.op() == "aten::t";
  const auto first = static_cast<std::size_t>(is_matrix ? 0 : lowering.axis(1));
  const auto second = static_cast<std::size_t>(is_matrix ? order.size() - 1 : lowering.axis(2));
  std::swap(order.at(first), order.at(second));
  lowering.give(lowering.add("Transpose", {lowering.value(0)}, {{"perm", order}}));
}

void lower_permute(Lowering& lowering) {
  auto order = lowering.integers(1);
  for (auto& axis : order) {
    if (axis < 0) axis += std::ssize(order);
  }
  lowering.give(lowering.add("Transpose", {lowering.value(0)}, {{"perm", order}}));
}

/// A size of -1 stays as it is; in ONNX, one of 1 does.
void lower_expand(Lowering& lowering) {
  const auto one = lowering.constant(std::vector<std::int64_t>{1});
  const auto sizes = lowering.shape(1);
  const auto wanted = lowering.add("Max", {sizes, one});
  lowering.give(lowering.add("Expand", {lowering.value(0), wanted}));
}

void lower_concat(Lowering& lowering) {
  lowering.give(lowering.add("Concat", lowering.values(0), {{"axis", lowering.integer(1)}}));
}

/// Whatever its arguments are, the trace knows the sizes of its results.
void lower_split(Lowering& lowering) {
  const std::int64_t axis = lowering.axis(2);
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < lowering.results(); ++i) {
    const auto size = lowering.output_sizes(i).at(static_cast<std::size_t>(axis));
    if (!size) lowering.unsupported("it parts the images of a batch");
    sizes.push_back(*size);
  }
  lowering.give(lowering.add("Split", {lowering.value(0), lowering.constant(sizes)},
                             {{"axis", axis}}, lowering.results()));
}

void lower_select(Lowering& lowering) {
  const auto index = lowering.constant(torch::tensor(lowering.integer(2), torch::kInt64));
  lowering.give(lowering.add("Gather", {lowering.value(0), index}, {{"axis", lowering.axis(1)}}));
}

void lower_slice(Lowering& lowering) {
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  const auto given = [&](std::size_t i, std::int64_t otherwise) {
    return lowering.is_none(i) ? otherwise : lowering.integer(i);
  };
  give_slice(lowering, given(2, 0), given(3, kLast), given(4, 1));
}

void lower_narrow(Lowering& lowering) {
  std::int64_t first = lowering.integer(2);
  if (first < 0) first += lowering.size(0, static_cast<std::size_t>(lowering.axis(1)));
  give_slice(lowering, first, first + lowering.integer(3), 1);
}

void lower_same(Lowering& lowering) { lowering.give(lowering.value(0)); }

}  // namespace yoke::onnx_export

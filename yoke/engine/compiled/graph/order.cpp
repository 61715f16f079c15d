// Operators that only give the dimensions of a value other places.
#include "yoke/engine/compiled/graph/order.h"

#include <algorithm>

#include "yoke/engine/compiled/graph/lowering.h"

namespace yoke::compiled {
namespace {

using Dimensions = std::vector<std::int64_t>;

/// The order of what `order` becomes when its dimensions are taken in the order `taken`.
Order permuted(const Lowering& lowering, Order order, const Dimensions& taken) {
  const bool to_last = taken == Dimensions{0, 2, 3, 1} || taken == Dimensions{0, 2, 1};
  const bool to_first = taken == Dimensions{0, 3, 1, 2} || taken == Dimensions{0, 2, 1};
  if (to_last && order == Order::kChannelsFirst) return Order::kChannelsLast;
  if (to_first && order == Order::kChannelsLast) return Order::kChannelsFirst;
  lowering.unsupported("it does more than to put channels last or first");
}

/// Whether a dimension of one number came or went behind those that the value has, as [N, C]
/// becomes [N, C, 1, 1].
bool shows_the_same(const Lowering& lowering) {
  const Value value = lowering.shape_of(lowering.value_in_any_order(0));
  return lowering.order_of(0) == Order::kChannelsFirst && !value.flat &&
         image_shape(lowering.output_sizes(), Order::kChannelsFirst) == value.shape;
}

}  // namespace

std::optional<ImageShape> image_shape(std::vector<std::int64_t> sizes, Order order) {
  if (sizes.size() > 2 && order == Order::kChannelsLast) {
    std::rotate(sizes.begin() + 1, sizes.end() - 1, sizes.end());
  }
  if (sizes.size() == 3) sizes.insert(sizes.begin() + 2, 1);
  if (sizes.size() == 2) sizes.insert(sizes.end(), {1, 1});
  if (sizes.size() != 4) return std::nullopt;
  return ImageShape{sizes[1], sizes[2], sizes[3]};
}

// aten::permute(input, dims)
void lower_permute(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  lowering.alias(input, permuted(lowering, lowering.order_of(0), lowering.integers(1)));
}

// aten::transpose(input, dim0, dim1)
void lower_swap_dimensions(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  const std::int64_t a = lowering.integer(1), b = lowering.integer(2);
  const bool swaps = lowering.output_sizes().size() == 3 && std::min(a, b) == 1 && a + b == 3;
  lowering.alias(
      input, permuted(lowering, lowering.order_of(0), swaps ? Dimensions{0, 2, 1} : Dimensions{}));
}

// aten::unsqueeze(input, dim)
void lower_unsqueeze(Lowering& lowering) {
  const ValueId input = lowering.value(0);
  if (shows_the_same(lowering)) return lowering.alias(input);
  if (lowering.integer(1) != 1) lowering.unsupported("its new dimension parts others");
  lowering.alias(input, Order::kBehindOne);
}

// aten::squeeze(input, dim)
void lower_squeeze(Lowering& lowering) {
  const ValueId input = lowering.value_in_any_order(0);
  const bool takes_back = lowering.order_of(0) == Order::kBehindOne && lowering.arguments() > 1 &&
                          lowering.integer(1) == 1;
  if (!takes_back && !shows_the_same(lowering)) {
    lowering.unsupported("it does more than to take back unsqueeze()");
  }
  lowering.alias(input);
}

// aten::expand(input, size, implicit)
void lower_expand(Lowering& lowering) {
  const auto shape = lowering.parameter_shape(lowering.parameter(0).value());
  auto sizes = lowering.output_sizes();
  sizes.front() = 1;
  if (shape != sizes)
    lowering.unsupported("it does more than to repeat a parameter for each image");
  lowering.repeat(0);
}

}  // namespace yoke::compiled

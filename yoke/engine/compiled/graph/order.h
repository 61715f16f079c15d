// yoke/engine/compiled/graph/order.h: how a traced tensor shows a value [C, H, W] per image.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "yoke/core/image_shape.h"

namespace yoke::compiled {

/// The dimensions of a traced tensor. Memory has an order of its own: these are names for it.
enum class Order {
  kChannelsFirst,  ///< [N, C, H, W], [N, C, P] of P pixels, or [N, F].
  kChannelsLast,   ///< [N, H, W, C], or [N, P, C].
  kBehindOne,      ///< [N, 1, C, H, W]: what drops its channels drops all of an image.
};

/// Of an image, where a tensor of up to four dimensions that has `sizes` shows it in `order`; else
/// nothing.
std::optional<ImageShape> image_shape(std::vector<std::int64_t> sizes, Order order);

}  // namespace yoke::compiled

// yoke/engine/compiled/graph/order.h: how a traced tensor shows a value [C, H, W] per image.
#pragma once
#include <string_view>

namespace yoke::compiled {

/// The dimensions of a traced tensor. Memory has an order of its own: these are names for it.
enum class Order {
  kChannelsFirst,  ///< [N, C, H, W], [N, C, P] of P pixels, or [N, F].
  kChannelsLast,   ///< [N, H, W, C], or [N, P, C].
  kBehindOne,      ///< [N, 1, C, H, W]: what drops its channels drops all of an image.
};

}  // namespace yoke::compiled

// tests/engine/draw.h: whole numbers at random, for shapes that nobody thought of.
#pragma once
#include <cstdint>

#include "yoke/core/random.h"

namespace yoke::test {

/// In [least, most].
inline std::int64_t draw_between(RandomStream& random, std::int64_t least, std::int64_t most) {
  return least +
         static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

}  // namespace yoke::test

// yoke/engine/compiled/memory/cache.h: how much memory is near a core.
#pragma once
#include <cstddef>

namespace yoke::compiled {

/// Bytes of a core's own second-level cache; 1 MiB where the system does not tell.
std::size_t core_cache_bytes();

}  // namespace yoke::compiled

// yoke/comm/communicators/common_memory.h: memory that all ranks of a host see.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "yoke/comm/rendezvous/group.h"

namespace yoke {

/// `bytes` zeros, aligned to 64 bytes, that all ranks see, each at an address of its own; they go
/// with the last rank. All ranks call it alike, with a `name` of its own in the group. @throws
/// UsageError when the ranks are not of one host; CommError when there is no room or a rank does
/// not come.
std::shared_ptr<std::byte> common_memory(const Group& group, const std::string& name,
                                         std::size_t bytes);

}  // namespace yoke

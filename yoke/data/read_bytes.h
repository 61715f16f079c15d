// yoke/data/read_bytes.h: a piece of a file.
#pragma once
#include <cstdint>
#include <span>

#include "yoke/core/files/file.h"

namespace yoke {

/// Fills `bytes` from `offset` of `file` on; safe from several threads at once.
/// @throws Error when that fails or the file ends before.
void read_bytes(const FileDescriptor& file, std::int64_t offset, std::span<std::uint8_t> bytes);

}  // namespace yoke

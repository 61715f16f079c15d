// yoke/data/formats/gzip.h: files that may be compressed (RFC 1952), by zlib.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace yoke {

/// The bytes of the file `path`, uncompressed where it begins as gzip files do.
/// @throws Error when it cannot be read, is damaged, cut short or followed by other bytes, or holds
/// more than `limit_bytes`.
std::string read_plain_or_gzip(const std::filesystem::path& path, std::int64_t limit_bytes);

}  // namespace yoke

// yoke/core/base64.h: bytes as text.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace yoke {

/// `bytes` in base64 (RFC 4648), filled up by `=`, in one line.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace yoke

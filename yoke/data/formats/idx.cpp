#include "yoke/data/formats/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr std::uint32_t kUnsignedByte = 0x08;

std::uint32_t big_endian_32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void check_magic(std::string_view bytes, int dimensions, std::string_view source) {
  const std::uint32_t expected = (kUnsignedByte << 8) | static_cast<std::uint32_t>(dimensions);
  if (bytes.size() < 4) {
    throw Error(fmt::format("{}: {} bytes are too few for an idx file", source, bytes.size()));
  }
  const std::uint32_t found = big_endian_32(bytes, 0);
  if (found == expected) return;
  throw Error(fmt::format(
      "{}: magic number {} (0x{:08x}) found, {} (0x{:08x}: idx, uint8, {} dimensions) expected",
      source, found, found, expected, expected, dimensions));
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, int dimensions, std::string_view source) {
  check_magic(bytes, dimensions, source);
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(dimensions);
  if (bytes.size() < header) {
    throw Error(fmt::format("{}: the file ends in its header, {} of {} bytes", source, bytes.size(),
                            header));
  }
  IdxArray array;
  for (std::size_t at = 4; at < header; at += 4) array.shape.push_back(big_endian_32(bytes, at));
  std::uint64_t count = 1;
  for (const std::int64_t length : array.shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(length), &count) ||
        count > std::numeric_limits<std::uint64_t>::max() / 2) {
      throw Error(fmt::format("{}: the product of the dimensions {} overflows", source,
                              fmt::join(array.shape, "x")));
    }
  }
  const std::uint64_t found = bytes.size() - header;
  if (found != count) {
    throw Error(fmt::format("{}: {} bytes of values found, {} expected ({}); the file is {}",
                            source, found, count, fmt::join(array.shape, "x"),
                            found < count ? "cut short" : "too long"));
  }
  array.values = {reinterpret_cast<const std::uint8_t*>(bytes.data()) + header, found};
  return array;
}

}  // namespace yoke

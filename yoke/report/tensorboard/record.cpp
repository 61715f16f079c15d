#include "yoke/report/tensorboard/record.h"

#include <isa-l/crc.h>

namespace yoke {
namespace {

template <typename Integer>
void append_little_endian(std::string& bytes, Integer value) {
  for (std::size_t i = 0; i < sizeof(value); ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::size_t kPiece = 1 << 30;  // the library counts in int
  std::uint32_t crc = 0xffffffff;
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, kPiece);
    auto* const data = reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));
    crc = crc32_iscsi(data, static_cast<int>(piece.size()), crc);
    bytes.remove_prefix(piece.size());
  }
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::string frame_record(std::string_view payload) {
  std::string record;
  record.reserve(payload.size() + 16);
  append_little_endian(record, static_cast<std::uint64_t>(payload.size()));
  append_little_endian(record, masked_crc32c(record));
  record += payload;
  append_little_endian(record, masked_crc32c(payload));
  return record;
}

}  // namespace yoke

// yoke/report/tensorboard/record.h: how records are framed in an event file (TensorFlow's TFRecord
// format).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace yoke {

/// CRC-32C (Castagnoli; RFC 3720) of `bytes`.
std::uint32_t crc32c(std::string_view bytes);

/// The CRC-32C as records hold it: rotated and shifted, so that sums of sums stay sound.
std::uint32_t masked_crc32c(std::string_view bytes);

/// `payload` as a record: u64 length, u32 masked sum of the length, payload, u32 masked sum of the
/// payload; little-endian.
std::string frame_record(std::string_view payload);

}  // namespace yoke

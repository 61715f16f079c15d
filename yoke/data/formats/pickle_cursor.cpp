#include "yoke/data/formats/pickle_cursor.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke::pickle {

void Cursor::fail(const std::string& what) const {
  throw Error(fmt::format("{}: damaged pickle at byte {}: {}", source_, at_, what));
}

std::string_view Cursor::take(std::uint64_t size) {
  if (size > left()) {
    fail(
        fmt::format("{} bytes expected, {} found: the file is cut short or damaged", size, left()));
  }
  const auto bytes = bytes_.substr(at_, size);
  at_ += size;
  return bytes;
}

std::uint64_t Cursor::little_endian(std::size_t size) {
  std::uint64_t value = 0;
  const auto bytes = take(size);
  for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::int64_t Cursor::signed_integer(std::uint64_t size) {
  if (size > 8) fail("an int of more than 64 bits");
  if (size == 0) return 0;
  const auto unused = static_cast<int>(64 - 8 * size);
  return static_cast<std::int64_t>(little_endian(size) << unused) >> unused;
}

std::string_view Cursor::line() {
  const auto end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) fail("a line without an end");
  const auto text = take(end - at_);
  ++at_;
  return text;
}

}  // namespace yoke::pickle

// yoke/data/formats/pickle_cursor.h: reads a pickle from front to back, never beyond its end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yoke::pickle {

/// A place in the bytes of a pickle. Every reading function throws Error where too few are left.
class Cursor {
 public:
  /// `source` names the bytes in messages; both must outlive the cursor.
  Cursor(std::string_view bytes, std::string_view source) : bytes_(bytes), source_(source) {}

  /// @throws Error with the source, the place and `what`.
  [[noreturn]] void fail(const std::string& what) const;

  std::size_t left() const { return bytes_.size() - at_; }
  std::string_view take(std::uint64_t size);
  std::uint64_t little_endian(std::size_t size);    ///< Of `size` bytes, at most 8.
  std::int64_t signed_integer(std::uint64_t size);  ///< In two's complement; none is 0.
  std::string_view line();                          ///< Without its end.

 private:
  std::string_view bytes_;
  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace yoke::pickle

// yoke/data/download/digest.h: how a file is known.
#pragma once
#include <string>
#include <string_view>

namespace yoke {

/// The digest that a file has when it is whole and right.
struct Digest {
  const char* algorithm = "md5";  ///< As Checksum takes it.
  std::string digits;             ///< Lower-case hexadecimal: all of them, or the first.

  /// For people: `b0353104...` where more digits follow.
  std::string str() const { return digits.size() < 32 ? digits + "..." : digits; }

  /// Whether that of a file, all its digits, is this one.
  bool is(std::string_view found) const { return !digits.empty() && found.starts_with(digits); }
};

}  // namespace yoke

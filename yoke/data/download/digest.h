// yoke/data/download/digest.h: how a file is known.
#pragma once
#include <string>

namespace yoke {

/// The digest that a file has when it is whole and right.
struct Digest {
  const char* algorithm = "md5";  ///< As Checksum takes it.
  std::string digits;             ///< Lower-case hexadecimal, all of them.
};

}  // namespace yoke

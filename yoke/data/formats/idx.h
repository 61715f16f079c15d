// yoke/data/formats/idx.h: the idx files of MNIST (yann.lecun.com/exdb/mnist): a magic number, the
// dimensions, then the values.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace yoke {

/// An array of bytes, as a view into the file's.
struct IdxArray {
  std::vector<std::int64_t> shape;
  std::span<const std::uint8_t> values;  ///< As many as the product of `shape`.
};

/// Reads `bytes` as an idx file of uint8 with `dimensions` (1 to 255) dimensions. `source` names it
/// in messages.
/// @throws Error that says what was expected and what was found.
IdxArray parse_idx(std::string_view bytes, int dimensions, std::string_view source);

}  // namespace yoke

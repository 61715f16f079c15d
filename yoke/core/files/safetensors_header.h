// yoke/core/files/safetensors_header.h: the header of a safetensors file, as text and as a table.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// The longest header a reader accepts.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Where one tensor lies.
struct SafetensorsEntry {
  std::string name;
  torch::ScalarType dtype = torch::kFloat32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  ///< In bytes from the start of the data.
  std::uint64_t end = 0;

  std::uint64_t size_bytes() const { return end - begin; }
};

/// Places each tensor, large elements first so that all are aligned; entries in the order given.
/// @throws Error on a repeated or reserved name, or a dtype that the format lacks.
std::vector<SafetensorsEntry> place_safetensors(const NamedTensors& tensors);

/// The JSON of the header, padded so that the data starts at a multiple of eight bytes.
std::string safetensors_header(const std::vector<SafetensorsEntry>& entries,
                               const std::map<std::string, std::string>& metadata);

/// What a header says.
struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;        ///< In its order.
  std::map<std::string, std::string> metadata;  ///< Whatever the writer wanted to say.
};

/// A header, checked: the data of its entries fill `data_bytes` without holes or overlaps.
/// @throws Error that says which entry is wrong, without naming the file.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes);

}  // namespace yoke

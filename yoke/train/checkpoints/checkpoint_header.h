// yoke/train/checkpoints/checkpoint_header.h: a checkpoint without its numbers, as ranks tell each
// other of it before they send these.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "yoke/core/files/safetensors_header.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {

/// What is needed to make room for a checkpoint.
struct CheckpointHeader {
  std::int64_t step = 0;
  std::vector<SafetensorsEntry> model = {};
  std::vector<SafetensorsEntry> optimizer = {};
  nlohmann::json state = {};
};

/// The header of `checkpoint`, as text.
std::string header_of(const Checkpoint& checkpoint);

/// The header that `rank` sent. @throws Garbled where `text` is none.
CheckpointHeader parse_checkpoint_header(const std::string& text, int rank);

}  // namespace yoke

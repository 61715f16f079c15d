// yoke/train/checkpoints/trained_model.h: the weights that a run left, and what they are of.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "yoke/core/named_tensors.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// Weights with the configuration they were trained by.
struct TrainedModel {
  std::filesystem::path source;                 ///< The file or folder they are from.
  NamedTensors tensors;                         ///< Parameters and buffers.
  std::map<std::string, std::string> metadata;  ///< What their file says of itself.
  TrainConfig config;
};

/// Reads a run directory (its final weights, else its newest good checkpoint), a `checkpoints/`
/// folder, or one checkpoint. @throws UsageError when there is none.
TrainedModel read_trained_model(const std::filesystem::path& path);

}  // namespace yoke

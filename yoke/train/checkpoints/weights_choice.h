// yoke/train/checkpoints/weights_choice.h: which weights a model begins with.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// A file of weights, and which of the model's tensors it shall not give.
struct WeightsChoice {
  std::string given;  ///< The file or name, as it was given.
  std::filesystem::path file;
  std::vector<std::string> skip;  ///< Tensors, or modules with all that is below them: `fc`.
  std::string fetch_command{};    ///< Brings the file, where it is one of published weights.
};

/// Parses `FILE`, `MODEL:NAME` of published weights, or their `NAME` alone for those of `model`, a
/// choice of model with its options; each may end in `:skip=MODULE+MODULE`.
/// @throws UsageError on any other option, on an unknown name, and where weights that have a name
/// are not in `data_dir`, with the command that fetches them.
WeightsChoice choose_weights(std::string_view text, std::string_view model,
                             const std::filesystem::path& data_dir);

}  // namespace yoke

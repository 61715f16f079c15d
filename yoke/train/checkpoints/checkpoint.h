// yoke/train/checkpoints/checkpoint.h: the state of a run on disk, in a directory that is complete
// or absent.
//
// checkpoints/step-00000500/ holds model.safetensors, optimizer.safetensors, state.json and
// manifest.json: {"format": 1, "step": 500, "files": {"state.json": {"size_bytes", "sha256"},
// ...}}.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/named_tensors.h"

namespace yoke {

/// All that a run needs to go on exactly as if it had not stopped.
struct Checkpoint {
  std::int64_t step = 0;                          ///< Steps taken.
  NamedTensors model{};                           ///< Parameters and buffers.
  std::map<std::string, std::string> metadata{};  ///< Of the model's file; not read back.
  NamedTensors optimizer{};                       ///< As Optimizer::state().
  nlohmann::json state{};  ///< The trainer's: configuration, meters, versions; finite numbers only.
};

/// Writes `checkpoint` to the directory `step-NNNNNNNN` of `directory`, which is made if need be,
/// and reads it back to verify its sums before it gets that name. A good one that is there already
/// stays; one that cannot be read is set aside as `unreadable-step-NNNNNNNN`. Returns the directory
/// written.
/// @throws Error e.g. when the disk is full; what was there before is then as it was.
std::filesystem::path write_checkpoint(const std::filesystem::path& directory,
                                       const Checkpoint& checkpoint);

/// Compares sizes and sums with the manifest. @throws Error that says which file is damaged.
void verify_checkpoint(const std::filesystem::path& step_directory);

/// Reads what write_checkpoint() wrote, verified. @throws Error that says which file is damaged.
Checkpoint read_checkpoint(const std::filesystem::path& step_directory);

/// The step in the name of a checkpoint's directory; nothing where it is none.
std::optional<std::int64_t> checkpoint_step(const std::filesystem::path& step_directory);

/// The checkpoints in `directory`, newest first, damaged ones too; empty where it does not exist.
/// @throws Error where it cannot be read.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& directory);

/// Those of steps above `step`.
std::vector<std::filesystem::path> checkpoints_after(const std::filesystem::path& directory,
                                                     std::int64_t step);

/// Takes the message about one damaged checkpoint.
using DamageReport = std::function<void(const std::string& problem)>;

/// The newest checkpoint in `directory` that can be read; `damaged` hears of each one passed over.
std::optional<Checkpoint> read_newest_good(const std::filesystem::path& directory,
                                           const DamageReport& damaged);

}  // namespace yoke

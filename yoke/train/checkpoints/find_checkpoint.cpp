#include "yoke/train/checkpoints/find_checkpoint.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/run/layout.h"

namespace yoke {

namespace fs = std::filesystem;

fs::path find_checkpoint(const fs::path& path, const DamageReport& damaged) {
  if (fs::exists(path / "manifest.json")) return path;
  const auto folder =
      fs::is_directory(RunDirectory{path}.checkpoints()) ? RunDirectory{path}.checkpoints() : path;
  std::string problems;
  for (const auto& checkpoint : list_checkpoints(folder)) {
    try {
      verify_checkpoint(checkpoint);
      return checkpoint;
    } catch (const Error& error) {
      damaged(error.what());
      problems += fmt::format("\n  {}", error.what());
    }
  }
  if (!problems.empty()) {
    throw UsageError(fmt::format("no checkpoint of {} is whole:{}", path.string(), problems));
  }
  throw UsageError(
      fmt::format("{} {}: looked for manifest.json, checkpoints/step-NNNNNNNN and step-NNNNNNNN in "
                  "it; give a run directory, its checkpoints folder or one checkpoint",
                  path.string(), fs::exists(path) ? "holds no checkpoint" : "does not exist"));
}

}  // namespace yoke

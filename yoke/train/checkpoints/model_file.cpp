#include "yoke/train/checkpoints/model_file.h"

#include "yoke/core/files/file.h"
#include "yoke/models/model.h"

namespace yoke {

namespace fs = std::filesystem;

fs::path kept_model_file(const fs::path& path) {
  constexpr int kDeepest = 3;  // RUN/checkpoints/step-N/model.safetensors
  fs::path folder = fs::absolute(path).lexically_normal();
  for (int up = 0; up <= kDeepest; ++up, folder = folder.parent_path()) {
    const fs::path kept = RunDirectory{folder}.model_file();
    if (fs::is_regular_file(kept)) return kept;
  }
  return {};
}

void keep_model_file(const TrainConfig& config, const RunDirectory& directory) {
  const auto traits = models().choose(config.model).traits;
  if (!traits.from_file) return;
  const fs::path from = config.model_file.empty() ? traits.file : config.model_file;
  const fs::path kept = directory.model_file();
  if (fs::exists(kept) && fs::equivalent(from, kept)) return;
  write_file(kept, read_file(from));
}

}  // namespace yoke

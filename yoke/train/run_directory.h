// yoke/train/run_directory.h: where a run keeps its files.
#pragma once
#include <filesystem>

#include "yoke/train/config.h"

namespace yoke {

/// The files of a run; see docs/formats.md.
struct RunDirectory {
  std::filesystem::path path;

  std::filesystem::path config() const { return path / "config.toml"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path summary() const { return path / "summary.json"; }
  std::filesystem::path phases() const { return path / "phases.csv"; }
  std::filesystem::path resources() const { return path / "resources.csv"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  std::filesystem::path resumed_from() const { return path / "resumed-from"; }
  std::filesystem::path weights() const { return path / "model.safetensors"; }
};

/// Makes the run directory of `config`. @throws UsageError when it exists already and holds more
/// than the logs of `yoke run`, unless it `goes_on`; Error when it cannot be made.
RunDirectory make_run_directory(const TrainConfig& config, bool goes_on);

}  // namespace yoke

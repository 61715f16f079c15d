// yoke/run/layout.h: where a run keeps its files; see docs/formats.md.
#pragma once
#include <filesystem>

namespace yoke {

/// The name of the weights' file, in a run and in each of its checkpoints.
inline constexpr const char* kWeightsFile = "model.safetensors";

/// What the folder of a checkpoint begins with, before the number of its step.
inline constexpr const char* kStepPrefix = "step-";

/// Where runs are that were given no place of their own.
inline constexpr const char* kRunsFolder = "runs";

/// The name of the folder in which `yoke run` keeps what ranks print, in a run or beside runs.
inline constexpr const char* kLogsFolder = "logs";

/// The files of a run. Each has its writer and its reader in this folder, but for checkpoints and
/// weights, which need tensors (yoke/train).
struct RunDirectory {
  std::filesystem::path path;

  std::filesystem::path config() const { return path / "config.toml"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path summary() const { return path / "summary.json"; }
  std::filesystem::path phases() const { return path / "phases.csv"; }
  std::filesystem::path resources() const { return path / "resources.csv"; }
  std::filesystem::path checkpoints() const { return path / "checkpoints"; }
  std::filesystem::path resumed_from() const { return path / "resumed-from"; }
  std::filesystem::path predictions() const { return path / "predictions.jsonl"; }
  std::filesystem::path console() const { return path / "console.log"; }
  std::filesystem::path profile() const { return path / "profile.json"; }
  std::filesystem::path weights() const { return path / kWeightsFile; }
  /// A copy of the file that the model is read from, of models that are.
  std::filesystem::path model_file() const { return path / "script.ts"; }
};

}  // namespace yoke

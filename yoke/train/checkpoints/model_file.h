// yoke/train/checkpoints/model_file.h: the file that a run's model is read from, kept with the run.
#pragma once
#include <filesystem>

#include "yoke/run/layout.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// The copy in the run that `path` is or lies in: a run, its checkpoints, or weights of either;
/// empty where there is none.
std::filesystem::path kept_model_file(const std::filesystem::path& path);

/// Copies the file that the model of `config` is read from, if it is, into `directory`.
/// @throws Error where it cannot be read or written.
void keep_model_file(const TrainConfig& config, const RunDirectory& directory);

}  // namespace yoke

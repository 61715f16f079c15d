// yoke/train/resume.h: finding the checkpoint that `--resume` asks for.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "yoke/train/checkpoint.h"
#include "yoke/train/config.h"

namespace yoke {

/// The run directory of `--resume`: `--out` for `auto`, or the one a path lies in; empty when
/// nothing is resumed.
std::filesystem::path resumed_run(const TrainConfig& config);

/// The newest good checkpoint that `config.resume` allows; nothing when it is empty, or `auto` and
/// there is none yet. `warn` is told of damaged ones, which are passed over.
/// @throws UsageError when there is none at a path, or when it was made with another configuration:
/// the message lists what differs.
std::optional<Checkpoint> find_resume(const TrainConfig& config,
                                      const std::function<void(const std::string&)>& warn);

}  // namespace yoke

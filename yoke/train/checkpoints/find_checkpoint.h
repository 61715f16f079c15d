// yoke/train/checkpoints/find_checkpoint.h: the checkpoint that a path on the command line means.
#pragma once
#include <filesystem>

#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {

/// The checkpoint at `path`: itself, or the newest good one of a run directory or of its
/// `checkpoints` folder; `damaged` hears of each one passed over.
/// @throws UsageError that says what was looked for when there is none.
std::filesystem::path find_checkpoint(
    const std::filesystem::path& path, const DamageReport& damaged = [](const std::string&) {});

}  // namespace yoke

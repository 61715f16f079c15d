// yoke/train/checkpoints/resume.h: finding the checkpoint that `--resume` asks for.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/config/config.h"
#include "yoke/train/run_directory.h"

namespace yoke {

/// The run directory of `--resume`: `--out` for `auto`, or the one a path lies in; empty when
/// nothing is resumed.
std::filesystem::path resumed_run(const TrainConfig& config);

/// Whether the run in `config.out` is the one to go on with: what `config.resume` names lies in it,
/// or it began by this very `--resume PATH`, in an attempt before this one.
bool goes_on_in_out(const TrainConfig& config);

/// Writes into `directory` that it began by this `--resume PATH`.
void note_resume(const TrainConfig& config, const RunDirectory& directory);

/// For a resume without a checkpoint, which begins again: @throws Error where there are some that
/// cannot be read, UsageError where the run has completed.
void check_nothing_to_lose(const RunDirectory& directory);

/// The newest good checkpoint that `config.resume` allows; nothing when it is empty, or `auto` and
/// there is none yet. `warn` is told of damaged ones, which are passed over. What this run has made
/// since it began by `--resume PATH` comes first; where that path lies in `config.out` itself, only
/// when it was `restarted` by its launcher.
/// @throws UsageError when there is none at a path, or when it was made with another configuration:
/// the message lists what differs.
std::optional<Checkpoint> find_resume(const TrainConfig& config, bool restarted,
                                      const std::function<void(const std::string&)>& warn);

}  // namespace yoke

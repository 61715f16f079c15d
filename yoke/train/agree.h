// yoke/train/agree.h: what ranks must have in common before they train.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "yoke/comm/communicator.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/config/config.h"
#include "yoke/train/resolved.h"

namespace yoke {

/// Compares the configuration with that of rank 0, but for what may differ between hosts:
/// where data and results are, threads, the display. What a rank leaves to be found out is compared
/// with nothing. @throws UsageError on all ranks, that says which flags of which rank differ.
void agree_on_config(const TrainConfig& config, Communicator& communicator);

/// Once more, now that all was found out: the learning rate may be given here and left there.
void agree_on_config(const TrainConfig& config, const Resolved& resolved,
                     Communicator& communicator);

/// Flags and their values, as `rank` sends them to be compared. @throws Garbled where `text` is
/// none of that.
std::map<std::string, std::string> parse_settings(const std::string& text, int rank);

/// The newest of the checkpoints that ranks have found, on all ranks: a host need not see the files
/// of another. @throws Garbled where a rank sends something else.
std::optional<Checkpoint> share_checkpoint(std::optional<Checkpoint> found,
                                           Communicator& communicator);

}  // namespace yoke

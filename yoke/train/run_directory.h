// yoke/train/run_directory.h: the folder of a new run.
#pragma once
#include <filesystem>

#include "yoke/run/layout.h"
#include "yoke/train/config/config.h"

namespace yoke {

/// Makes the run directory of `config`. @throws UsageError when it exists already and holds more
/// than the logs of `yoke run`, unless it `goes_on`; Error when it cannot be made.
RunDirectory make_run_directory(const TrainConfig& config, bool goes_on);

}  // namespace yoke

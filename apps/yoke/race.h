// apps/yoke/race.h: `yoke study race`, a recipe's time to a target accuracy under rules.
#pragma once
#include <CLI/CLI.hpp>

#include "apps/yoke/commands.h"

namespace yoke {

/// Adds the command below `study`.
void add_race_command(CLI::App& study, Run& run);

}  // namespace yoke

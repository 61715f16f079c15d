// apps/yoke/search.h: `yoke study search`, trials drawn from ranges, of which the best go on.
#pragma once
#include <CLI/CLI.hpp>

#include "apps/yoke/commands.h"

namespace yoke {

/// Adds the command below `study`.
void add_search_command(CLI::App& study, Run& run);

}  // namespace yoke

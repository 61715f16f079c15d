// yoke/parallel/in_process.h: ranks that are threads of one process.
#pragma once
#include <string_view>

#include "yoke/core/options.h"

namespace yoke {

/// How many ranks the strategy that `strategy` names wants in a process: hogwild's `workers`, by
/// itself one for each of `cores`; 1 for others and where `processes` are more than one, which are
/// the ranks then. @throws UsageError when both are asked for.
int ranks_in_process(std::string_view strategy, int processes, int cores);

/// Takes the option `workers` from the options of a strategy; 0 where it was not given.
int read_workers(Options& options);

}  // namespace yoke

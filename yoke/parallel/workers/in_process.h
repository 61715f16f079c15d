// yoke/parallel/workers/in_process.h: ranks that are threads of one process.
#pragma once
#include <string_view>

namespace yoke {

/// How many ranks the strategy that `strategy` names wants in a process: its workers, by themselves
/// one for each of `cores`; 1 where workers are processes and where `processes` are more than one,
/// which are the ranks then. @throws UsageError when both are asked for.
int ranks_in_process(std::string_view strategy, int processes, int cores);

}  // namespace yoke

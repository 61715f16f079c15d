#include "yoke/parallel/workers/in_process.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/strategy.h"

namespace yoke {

int ranks_in_process(std::string_view strategy, int processes, int cores) {
  const auto workers = strategies().choose(strategy).traits.workers_in_process;
  if (!workers) return 1;
  if (processes == 1) return *workers > 0 ? *workers : cores;
  if (*workers <= 1) return 1;
  throw UsageError(
      fmt::format("--strategy {} has {} workers in each of {} processes; workers are threads of "
                  "one process or processes: leave workers out, or start one process",
                  strategy, *workers, processes));
}

}  // namespace yoke

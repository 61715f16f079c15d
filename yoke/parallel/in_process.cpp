#include "yoke/parallel/in_process.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

int ranks_in_process(std::string_view strategy, int processes, int cores) {
  Choice choice = Choice::parse(strategy, "strategy");
  if (choice.name != "hogwild") return 1;
  const int workers = read_workers(choice.options);
  if (processes == 1) return workers > 0 ? workers : cores;
  if (workers <= 1) return 1;
  throw UsageError(
      fmt::format("hogwild was given workers={} in each of {} processes; workers are threads of "
                  "one process or processes: leave workers out, or start one process",
                  workers, processes));
}

int read_workers(Options& options) {
  return static_cast<int>(options.get("workers", std::int64_t{0}, 0, 1024));
}

}  // namespace yoke

// apps/yoke/bench.cpp: `yoke bench`, measurements of one part at a time.
#include "apps/yoke/bench.h"

#include "apps/yoke/commands.h"

namespace yoke {

void add_bench_command(CLI::App& program, Run& run) {
  auto* command = program.add_subcommand("bench", "Measure one part of training");
  command->require_subcommand(1);
  add_bench_allreduce_command(*command, run);
  add_bench_classify_command(*command, run);
  add_bench_loader_command(*command, run);
  add_bench_step_command(*command, run);
  add_bench_training_command(*command, run);
}

}  // namespace yoke

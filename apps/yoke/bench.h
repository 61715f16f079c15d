// apps/yoke/bench.h: the parts that `yoke bench` measures; each is one file.
#pragma once
#include "apps/yoke/commands.h"

namespace yoke {

void add_bench_allreduce_command(CLI::App& bench, Run& run);
void add_bench_loader_command(CLI::App& bench, Run& run);
void add_bench_step_command(CLI::App& bench, Run& run);
void add_bench_training_command(CLI::App& bench, Run& run);

}  // namespace yoke

// apps/yoke/bench.h: the parts that `yoke bench` measures; each is one file.
#pragma once
#include <string>

#include "apps/yoke/commands.h"

namespace yoke {

/// What the row of `yoke bench allreduce` is called where `communicator` sums in memory of its own.
inline std::string in_place(const std::string& communicator) { return communicator + ", in place"; }

void add_bench_allreduce_command(CLI::App& bench, Run& run);
void add_bench_classify_command(CLI::App& bench, Run& run);
void add_bench_loader_command(CLI::App& bench, Run& run);
void add_bench_step_command(CLI::App& bench, Run& run);
void add_bench_training_command(CLI::App& bench, Run& run);

}  // namespace yoke

// apps/yoke/commands.h: every command of the program; each is one file.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace yoke {

/// What the parsed command line asks for; returns the exit status.
using Run = std::function<int()>;

/// Each adds its command to the program; parsing the command sets `run`.
void add_bench_command(CLI::App& program, Run& run);
void add_data_command(CLI::App& program, Run& run);
void add_doctor_command(CLI::App& program, Run& run);
void add_evaluate_command(CLI::App& program, Run& run);
void add_export_command(CLI::App& program, Run& run);
void add_list_command(CLI::App& program, Run& run);
void add_train_command(CLI::App& program, Run& run);

}  // namespace yoke

// apps/yoke/commands.h: every command of the program; each is one file.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace yoke {

/// What the parsed command line asks for; returns the exit status.
using Run = std::function<int()>;

/// Each adds its command to the program; parsing the command sets `run`.
void add_bench_command(CLI::App& program, Run& run);
void add_classify_command(CLI::App& program, Run& run);
void add_completion_command(CLI::App& program, Run& run);
void add_data_command(CLI::App& program, Run& run);
void add_doctor_command(CLI::App& program, Run& run);
void add_evaluate_command(CLI::App& program, Run& run);
void add_export_command(CLI::App& program, Run& run);
void add_find_lr_command(CLI::App& program, Run& run);
void add_list_command(CLI::App& program, Run& run);
void add_forecast_command(CLI::App& program, Run& run);
void add_man_command(CLI::App& program, Run& run);
void add_report_command(CLI::App& program, Run& run);
/// `ranks_command` is what take_command() found.
void add_run_command(CLI::App& program, Run& run, const std::vector<std::string>& ranks_command);
void add_stop_command(CLI::App& program, Run& run);
void add_study_command(CLI::App& program, Run& run);
void add_train_command(CLI::App& program, Run& run);
void add_weights_command(CLI::App& program, Run& run);

/// Takes out of `words`, the program's arguments, what follows the flags of `yoke run` and belongs
/// to the ranks; the rest, in a form that CLI11 reads.
std::vector<std::string> take_command(std::vector<std::string> words,
                                      std::vector<std::string>& command);

}  // namespace yoke

// apps/yoke/main.cpp: the program `yoke`; each command is a file beside this one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "apps/yoke/commands.h"
#include "apps/yoke/error_file.h"
#include "apps/yoke/usage.h"
#include "yoke/core/error.h"
#include "yoke/core/system/allocator.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/core/version.h"

namespace {

/// `--batch_size=3` is `--batch-size=3`.
void replace_underscores(std::string& word) {
  if (!word.starts_with("--")) return;
  std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
}

int run(int argc, char** argv) {
  CLI::App program("Yoke trains image classifiers together: on cores, on GPUs, on many machines.",
                   "yoke");
  program.set_version_flag("--version", fmt::format("yoke {}", yoke::kVersion));
  program.require_subcommand(1);
  yoke::Run command;
  std::vector<std::string> ranks_command;
  auto words = yoke::take_command({argv + 1, argv + argc}, ranks_command);
  std::for_each(words.begin(), words.end(), replace_underscores);
  yoke::add_train_command(program, command);
  yoke::add_run_command(program, command, ranks_command);
  yoke::add_stop_command(program, command);
  yoke::add_evaluate_command(program, command);
  yoke::add_classify_command(program, command);
  yoke::add_export_command(program, command);
  yoke::add_report_command(program, command);
  yoke::add_study_command(program, command);
  yoke::add_bench_command(program, command);
  yoke::add_forecast_command(program, command);
  yoke::add_data_command(program, command);
  yoke::add_list_command(program, command);
  yoke::add_doctor_command(program, command);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    program.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw yoke::UsageError(yoke::usage_message(program, error));
  }
  return command();
}

int fail(const std::exception& error, int status) {
  fmt::print(stderr, "yoke: {}\n", error.what());
  yoke::write_error_file(error.what());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  yoke::keep_freed_memory();
  try {
    return run(argc, argv);
  } catch (const yoke::UsageError& error) {
    return fail(error, yoke::kWrongUsage);
  } catch (const std::exception& error) {
    return fail(error, yoke::kFailed);
  }
}

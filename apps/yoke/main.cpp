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
#include "apps/yoke/program.h"
#include "apps/yoke/usage.h"
#include "yoke/core/error.h"
#include "yoke/core/system/allocator.h"
#include "yoke/core/system/exit_status.h"

namespace {

/// `--batch_size=3` is `--batch-size=3`.
void replace_underscores(std::string& word) {
  if (!word.starts_with("--")) return;
  std::replace(word.begin(), std::find(word.begin(), word.end(), '='), '_', '-');
}

int run(int argc, char** argv) {
  yoke::Run command;
  std::vector<std::string> ranks_command;
  auto words = yoke::take_command({argv + 1, argv + argc}, ranks_command);
  std::for_each(words.begin(), words.end(), replace_underscores);
  const auto made = yoke::make_program(command, ranks_command);
  CLI::App& program = *made;
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

int fail(const std::exception& error) {
  fmt::print(stderr, "yoke: {}\n", error.what());
  yoke::write_error_file(error.what());
  return yoke::exit_status_of(error);
}

}  // namespace

int main(int argc, char** argv) {
  yoke::keep_freed_memory();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return fail(error);
  }
}

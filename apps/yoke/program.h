// apps/yoke/program.h: the whole command line, as it is declared.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/yoke/commands.h"

namespace yoke {

/// The program with all its commands, in the order in which one uses them. Parsing it sets `run`;
/// both arguments must outlive it. `ranks_command` is what take_command() found.
std::unique_ptr<CLI::App> make_program(Run& run, const std::vector<std::string>& ranks_command);

}  // namespace yoke

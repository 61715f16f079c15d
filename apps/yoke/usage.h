// apps/yoke/usage.h: what to say of a wrong command line.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace yoke {

/// What was wrong, what is allowed and what to do.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error);

}  // namespace yoke

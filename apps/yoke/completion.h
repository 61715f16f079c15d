// apps/yoke/completion.h: what shells need to complete command lines of the program.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace yoke {

/// A script that bash sources.
std::string bash_completion(const CLI::App& program);

/// A function for a folder of zsh's `fpath`, as the file `_yoke`.
std::string zsh_completion(const CLI::App& program);

}  // namespace yoke

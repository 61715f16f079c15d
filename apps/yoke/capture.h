// apps/yoke/capture.h: runs another command of this program and takes what it prints.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace yoke {

/// This program's own file.
std::filesystem::path own_program();

/// Runs `arguments`, the first a program, and returns its standard output; `input` is its standard
/// input. @throws Error with what it printed when it fails; UsageError with its message when it
/// ends with the status of wrong usage, 2, and when it cannot be run.
std::string capture(const std::vector<std::string>& arguments, const std::string& input = "");

/// The last line of `text` that is not empty.
std::string last_line(const std::string& text);

}  // namespace yoke

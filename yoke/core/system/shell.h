// yoke/core/system/shell.h: text for a shell.
#pragma once
#include <string>
#include <vector>

namespace yoke {

/// `text` as one word of a POSIX shell, whatever it holds.
std::string shell_word(const std::string& text);

/// A command line of `words`. Words that mean nothing else to a shell stay without quotes.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace yoke

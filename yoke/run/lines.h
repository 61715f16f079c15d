// yoke/run/lines.h: files that lines are appended to while a run goes on.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

namespace yoke {

/// What such a file holds, and how many lines were no such thing. A last line without its end is
/// still being written and left out without being counted.
template <typename Line>
struct Lines {
  std::vector<Line> lines;
  std::size_t damaged = 0;
};

/// The lines of `text` that have an end, without it.
std::vector<std::string_view> whole_lines(std::string_view text);

}  // namespace yoke

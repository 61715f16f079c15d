// tests/support/lines.h: text line by line.
#pragma once
#include <sstream>
#include <string>
#include <vector>

namespace yoke::test {

/// Without their ends.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace yoke::test

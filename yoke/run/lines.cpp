#include "yoke/run/lines.h"

#include "yoke/core/split.h"

namespace yoke {

std::vector<std::string_view> whole_lines(std::string_view text) {
  auto lines = split(text, '\n');
  lines.pop_back();
  return lines;
}

}  // namespace yoke

#include "yoke/core/system/process_status.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace yoke {

std::optional<ProcessStatus> process_status(int pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(stat, text, '\0')) return std::nullopt;
  const auto name_end = text.rfind(')');  // the name may hold blanks and parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  char state = 0;
  ProcessStatus status;
  if (!(fields >> state >> status.parent)) return std::nullopt;
  status.ended = state == 'Z' || state == 'X';
  constexpr int kParent = 4, kStart = 22;  // fields, from 1
  for (int field = kParent; field < kStart; ++field) fields >> status.started;
  return fields ? std::optional(status) : std::nullopt;
}

}  // namespace yoke

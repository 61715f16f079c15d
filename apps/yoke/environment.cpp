#include "apps/yoke/environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "yoke/core/parse_number.h"
#include "yoke/core/system/launch_variables.h"

namespace yoke {

std::int64_t threads_from_environment() {
  const char* const text = std::getenv(variable::kOmpThreads);
  if (text == nullptr) return 0;
  std::string_view levels(text);  // "4,2" sets nested levels
  return std::max<std::int64_t>(take_number<std::int64_t>(levels).value_or(0), 0);
}

std::map<std::string, std::string> whole_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

}  // namespace yoke

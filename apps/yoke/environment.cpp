#include "apps/yoke/environment.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace yoke {

std::int64_t threads_from_environment() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return 0;
  const std::string_view view(text);
  std::int64_t threads = 0;
  std::from_chars(view.data(), view.data() + view.size(), threads);  // "4,2" sets nested levels
  return threads > 0 ? threads : 0;
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

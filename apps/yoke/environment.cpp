#include "apps/yoke/environment.h"

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

}  // namespace yoke

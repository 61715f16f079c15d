#include "apps/yoke/error_file.h"

#include <cstdlib>
#include <exception>

#include "yoke/core/system/clock.h"
#include "yoke/core/system/launch_variables.h"
#include "yoke/launch/agent/error_file.h"

namespace yoke {

void write_error_file(const std::string& message) {
  const char* const path = std::getenv(variable::kErrorFile);
  if (path == nullptr) return;
  try {
    launch::write_rank_error(path, {.message = message, .time = seconds_since_1970()});
  } catch (const std::exception&) {  // the message is on standard error as well
  }
}

}  // namespace yoke

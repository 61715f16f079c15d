#include "yoke/core/system/thread_name.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <fstream>

namespace yoke {

void name_thread(const std::string& name) { ::prctl(PR_SET_NAME, name.c_str()); }

std::int64_t thread_number() {
  thread_local const std::int64_t number = ::gettid();
  return number;
}

std::string thread_name(std::int64_t number) {
  std::ifstream stream(fmt::format("/proc/self/task/{}/comm", number));
  std::string name;
  std::getline(stream, name);
  return name;
}

}  // namespace yoke

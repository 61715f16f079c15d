// apps/yoke/environment.h: what the program takes from its environment.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace yoke {

/// The whole number in OMP_NUM_THREADS, which launchers set; 0 where there is none.
std::int64_t threads_from_environment();

/// Every variable.
std::map<std::string, std::string> whole_environment();

}  // namespace yoke

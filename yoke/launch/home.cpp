#include "yoke/launch/home.h"

#include <pwd.h>
#include <unistd.h>

namespace yoke::launch {

std::filesystem::path home_folder(const Environment& environment) {
  const auto home = environment.find("HOME");
  if (home != environment.end() && !home->second.empty()) return home->second;
  const passwd* const user = ::getpwuid(::geteuid());
  return user != nullptr ? user->pw_dir : "/";
}

}  // namespace yoke::launch

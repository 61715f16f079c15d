#include "yoke/core/files/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "yoke/core/error.h"

namespace yoke {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& beginning) {
  std::string name = beginning.string() + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make the folder {}: {}", name, std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace yoke

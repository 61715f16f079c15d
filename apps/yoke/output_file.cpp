#include "apps/yoke/output_file.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke {

namespace fs = std::filesystem;

void check_output(const std::string& flag, const fs::path& output, bool force) {
  const auto parent = folder_of(output);
  if (!fs::is_directory(parent)) {
    throw UsageError(fmt::format("{} {}: there is no directory {}; make it first", flag,
                                 output.string(), parent.string()));
  }
  if (fs::is_directory(output)) {
    throw UsageError(fmt::format("{} {} is a directory; give a file", flag, output.string()));
  }
  if (fs::exists(output) && !force) {
    throw UsageError(
        fmt::format("{} {} exists already; give another name, or --force to replace it", flag,
                    output.string()));
  }
}

}  // namespace yoke

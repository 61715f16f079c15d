#include "yoke/data/read_bytes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "yoke/core/error.h"

namespace yoke {

void read_bytes(const FileDescriptor& file, std::int64_t offset, std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto count = ::pread(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw Error(fmt::format("cannot read {} bytes: {}", bytes.size(),
                              std::generic_category().message(errno)));
    }
    if (count == 0) {
      throw Error(fmt::format("the file ends {} bytes too early", bytes.size()));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
}

}  // namespace yoke

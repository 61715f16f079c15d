#include "yoke/comm/communicators/common_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "yoke/comm/shared/segment.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

std::shared_ptr<std::byte> own_memory(std::size_t bytes) {
  constexpr std::align_val_t kLine{64};
  auto* const data = static_cast<std::byte*>(::operator new(bytes, kLine));
  std::memset(data, 0, bytes);
  return {data, [](std::byte* memory) { ::operator delete(memory, kLine); }};
}

}  // namespace

std::shared_ptr<std::byte> common_memory(const Group& group, const std::string& name,
                                         std::size_t bytes) {
  if (group.size == 1) return own_memory(bytes);
  if (!group.one_host()) {
    throw UsageError(
        fmt::format("{} needs memory that all ranks share, but of {} ranks {} are on {}; start all "
                    "on one host",
                    name, group.size, group.neighbours().size(),
                    group.peers[static_cast<std::size_t>(group.rank)].host));
  }
  std::vector<std::size_t> sizes(static_cast<std::size_t>(group.size), 1);
  sizes.front() = bytes;  // rank 0's serves all
  const auto first = shared::exchange(group, name, sizes).front();
  return {first, first->data()};
}

}  // namespace yoke

#include "yoke/engine/compiled/section.h"

#include <algorithm>
#include <map>

namespace yoke::compiled {
namespace {

/// Those that touch a buffer, in order.
using Users = std::map<Buffer*, std::vector<const Section*>>;

Users users_of_buffers(const std::vector<Section>& sections) {
  Users users;
  for (const Section& section : sections) {
    for (Buffer* const buffer : section.buffers) users[buffer].push_back(&section);
  }
  return users;
}

bool any_in_parts(const std::vector<const Section*>& sections) {
  return std::any_of(sections.begin(), sections.end(),
                     [](const Section* section) { return section->parts > 1; });
}

}  // namespace

void Section::enter(std::byte* arena, std::int64_t part) {
  for (Buffer* const buffer : shared) {
    const std::size_t piece = buffer->bytes / static_cast<std::size_t>(parts);
    buffer->data = arena + buffer->offset + static_cast<std::size_t>(part) * piece;
  }
  for (auto& [memory, buffer] : moving) memory.set_data_handle(buffer->data);
}

std::size_t Section::bytes_of_part() const {
  std::size_t whole = 0, own = 0;
  for (const Buffer* const buffer : buffers) own += buffer->bytes;
  for (const Buffer* const buffer : shared) whole += buffer->bytes;
  return own - whole + whole / static_cast<std::size_t>(parts);
}

void share_buffers(std::vector<Section>& sections) {
  const Users users = users_of_buffers(sections);
  const auto is_shared = [&](Buffer* buffer) {
    const auto found = users.find(buffer);
    return found != users.end() && found->second.size() > 1 && any_in_parts(found->second);
  };
  for (const auto& [buffer, touching] : users) {
    if (!is_shared(buffer)) continue;
    buffer->bytes *= static_cast<std::size_t>(touching.front()->parts);
    buffer->first = static_cast<int>(touching.front()->first);
    buffer->last = static_cast<int>(touching.back()->last) - 1;
  }
  for (Section& section : sections) {
    std::copy_if(section.buffers.begin(), section.buffers.end(), std::back_inserter(section.shared),
                 is_shared);
    if (section.parts == 1) continue;
    std::copy_if(section.bindings.begin(), section.bindings.end(),
                 std::back_inserter(section.moving),
                 [&](const Binding& binding) { return is_shared(binding.buffer); });
  }
}

}  // namespace yoke::compiled

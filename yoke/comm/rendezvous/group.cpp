#include "yoke/comm/rendezvous/group.h"

#include <algorithm>

namespace yoke {

std::vector<int> Group::neighbours() const {
  if (size == 1) return {rank};
  std::vector<int> found;
  for (int other = 0; other < size; ++other) {
    const auto& here = peers[static_cast<std::size_t>(rank)].memory;
    if (peers[static_cast<std::size_t>(other)].memory == here) found.push_back(other);
  }
  return found;
}

Group Group::part(const std::vector<int>& ranks, const std::string& name) const {
  if (ranks.size() == 1) return {.timeout = timeout};
  Group result{
      .rank = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin()),
      .size = static_cast<int>(ranks.size()),
      .store = below(store, name),
      .timeout = timeout};
  for (const int member : ranks) result.peers.push_back(peers[static_cast<std::size_t>(member)]);
  return result;
}

}  // namespace yoke

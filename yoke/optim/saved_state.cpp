#include "yoke/optim/saved_state.h"

#include <algorithm>

namespace yoke {

NamedTensors with_own_state(NamedTensors saved, const std::set<std::string>& names,
                            const NamedTensors& own) {
  const auto is_named = [&](const auto& item) { return names.contains(item.first); };
  const bool there = std::any_of(saved.begin(), saved.end(), is_named);
  if (there && own.empty()) std::erase_if(saved, is_named);
  if (!there) saved.insert(saved.end(), own.begin(), own.end());
  return saved;
}

}  // namespace yoke

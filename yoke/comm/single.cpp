// yoke/comm/single.cpp: the group of one rank.
#include <fmt/format.h>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke {

std::unique_ptr<Transport> make_single(const Group& group, Options&) {
  if (group.size == 1) return nullptr;
  throw UsageError(fmt::format(
      "communicator 'single' is for one rank, and there are {}; give --comm auto", group.size));
}

}  // namespace yoke

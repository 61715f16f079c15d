// yoke/comm/communicators/single.cpp: the group of one rank.
#include <fmt/format.h>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke {

CommunicatorPlugin single_communicator() {
  return {no_options(), [](const Group& group, const NoOptions&) -> std::unique_ptr<Transport> {
            if (group.size == 1) return nullptr;
            throw UsageError(fmt::format(
                "communicator 'single' is for one rank, and there are {}; give --comm auto",
                group.size));
          }};
}

}  // namespace yoke

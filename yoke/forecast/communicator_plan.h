// yoke/forecast/communicator_plan.h: how a communicator connects ranks, as its own file tells it.
#pragma once
#include <optional>
#include <string>

#include "yoke/forecast/link.h"

namespace yoke::forecast {

/// A communicator, as far as its costs go.
struct CommunicatorPlan {
  std::string between = {};  ///< The one that carries messages where ranks share no memory.
  std::string within = {};   ///< The one by which ranks of a host sum in their memory, if any.
  bool chooses = false;      ///< Between a ring and a tree, else always a ring.
  bool one_host = false;     ///< Whether it connects the ranks of one host alone.
  std::optional<Link> throttle = std::nullopt;  ///< Of each rank, whatever link its host has.
};

}  // namespace yoke::forecast

// yoke/comm/rendezvous/join.h: how the processes of a run find each other.
#pragma once
#include <chrono>

#include "yoke/comm/rendezvous/group.h"
#include "yoke/comm/rendezvous/world.h"

namespace yoke {

/// How long ranks wait for each other.
struct Timeouts {
  std::chrono::milliseconds join = std::chrono::minutes(5);        ///< At the start.
  std::chrono::milliseconds operation = std::chrono::minutes(10);  ///< In an operation.
};

/// Meets the other ranks of `world` at its store.
/// @throws CommError that names the ranks that did not come, the port that is taken, or what a rank
/// says of itself that none does; UsageError where versions differ, or hosts would reach each other
/// by a loopback address.
Group join(const World& world, const Timeouts& timeouts = {});

}  // namespace yoke

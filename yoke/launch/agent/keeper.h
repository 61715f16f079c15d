// yoke/launch/agent/keeper.h: ends what an agent started, should the agent itself be killed.
#pragma once
#include <string>

#include "yoke/core/files/descriptor.h"

namespace yoke::launch {

/// The variable by which a keeper knows the processes of its agent, also in sessions of their own.
inline constexpr const char* kKeeperVariable = "YOKE_AGENT_ID";

/// A small process that outlives this one. The kernel kills ranks when their agent dies, but not
/// what ranks started: that is the keeper's part. To be made before any thread starts.
class Keeper {
 public:
  Keeper();
  /// Tells the keeper that all is well.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// The value of kKeeperVariable for ranks.
  const std::string& id() const { return id_; }

 private:
  std::string id_;
  Descriptor line_;
};

}  // namespace yoke::launch

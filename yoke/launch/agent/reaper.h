// yoke/launch/agent/reaper.h: ends what an agent started, should the agent itself be killed.
#pragma once
#include <string>

#include "yoke/core/files/descriptor.h"

namespace yoke::launch {

/// The variable by which a reaper knows the processes of its agent, also in sessions of their own.
inline constexpr const char* kReaperVariable = "YOKE_AGENT_ID";

/// A small process that outlives this one. The kernel kills ranks when their agent dies, but not
/// what ranks started: that is the reaper's part. To be made before any thread starts.
class Reaper {
 public:
  Reaper();
  /// Tells the reaper that all is well.
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  /// The value of kReaperVariable for ranks.
  const std::string& id() const { return id_; }

 private:
  std::string id_;
  Descriptor line_;
};

}  // namespace yoke::launch

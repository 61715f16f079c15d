// yoke/parallel/server/server_options.h: what a user says of parameter servers.
#pragma once
#include <cstdint>

#include "yoke/core/options.h"

namespace yoke {

struct ServerOptions {
  int servers = 0;   ///< The first ranks, which serve alone; 0: all serve and work.
  bool sync = true;  ///< Whether the parameters move once all have pushed, or at every push.
  std::int64_t staleness = 0;  ///< See ServerRules; if not sync.
  bool overlap = false;        ///< Whether workers take what they pull a step later; if not sync.
  std::int64_t bucket_bytes = 0;  ///< Of gradients that are pushed at once, at least.

  /// Whether the others go on without a worker that is lost.
  bool forgives() const { return servers > 0 && !sync; }
};

/// @throws UsageError on what `ranks` ranks cannot do.
ServerOptions read_server_options(Options& options, int ranks);

}  // namespace yoke

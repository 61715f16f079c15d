// yoke/parallel/server/server_options.h: what a user says of parameter servers, and what that
// costs.
#pragma once
#include <cstdint>
#include <optional>

#include "yoke/core/plugins/option_table.h"
#include "yoke/forecast/strategy_plan.h"

namespace yoke {

struct ServerOptions {
  int servers = 0;   ///< The first ranks, which serve alone; 0: all serve and work.
  bool sync = true;  ///< Whether the parameters move once all have pushed, or at every push.
  std::optional<std::int64_t> staleness = {};  ///< See ServerRules; if not sync.
  bool overlap = false;   ///< Whether workers take what they pull a step later; if not sync.
  double bucket_mib = 1;  ///< Of gradients that are pushed at once, at least.

  std::int64_t bucket_bytes() const;
  /// Whether the others go on without a worker that is lost.
  bool forgives() const { return servers > 0 && !sync; }
};

OptionTable<ServerOptions> server_options();

/// @throws UsageError on what cannot be, whatever the number of ranks.
void check(const ServerOptions& options);
/// @throws UsageError on what `ranks` ranks cannot do.
void check(const ServerOptions& options, int ranks);

/// @throws UsageError as check() does.
forecast::StrategyPlan plan_servers(const ServerOptions& options);

}  // namespace yoke

#include "yoke/parallel/server/server_options.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/buckets.h"

namespace yoke {

std::int64_t ServerOptions::bucket_bytes() const {
  return static_cast<std::int64_t>(kMiB * bucket_mib);
}

OptionTable<ServerOptions> server_options() {
  using O = ServerOptions;
  return {
      {"servers", &O::servers, at_least(0),
       "the first so many ranks serve and have no images; 0: every rank serves a part beside its "
       "worker"},
      {"mode",
       &O::sync,
       {{"sync", true}, {"async", false}},
       "`sync`: a server moves its part once all workers have pushed, by the sum of their "
       "gradients; "
       "`async`: at every push"},
      {"staleness", &O::staleness, at_least(0), or_word("unbounded"),
       "with `async`: how many pushes a worker may be ahead of the slowest one that is at work"},
      {"overlap", &O::overlap,
       "with `async`: a worker goes on with what it has while it pulls, and takes the parameters "
       "in "
       "after the next gradient; its gradients are one more step behind"},
      {"bucket_mib", &O::bucket_mib, in(0, 1e6),
       "gradients go to the servers in buckets of at least so much, while the backward pass goes "
       "on"},
  };
}

void check(const ServerOptions& options) {
  if (options.sync && options.staleness) {
    throw UsageError("parameter-server was given staleness with mode=sync; give mode=async");
  }
  if (options.sync && options.overlap) {
    throw UsageError(
        "parameter-server was given overlap with mode=sync, whose workers wait for what all have "
        "pushed; give mode=async");
  }
}

void check(const ServerOptions& options, int ranks) {
  check(options);
  if (options.servers == 0 || options.servers < ranks) return;
  throw UsageError(fmt::format(
      "parameter-server was given servers={} for {} ranks; allowed: 0 (every rank serves and "
      "works) to {}, so that a rank is left to work",
      options.servers, ranks, ranks - 1));
}

forecast::StrategyPlan plan_servers(const ServerOptions& options) {
  check(options);
  const double bytes = kMiB * options.bucket_mib;
  return {.kind = forecast::StrategyKind::kServer,
          .first_bucket_bytes = bytes,
          .bucket_bytes = bytes,
          .servers = options.servers,
          .in_step = options.sync};
}

}  // namespace yoke

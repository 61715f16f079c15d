#include "yoke/parallel/server/server_options.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {
namespace {

constexpr double kMiB = 1 << 20;

}  // namespace

std::int64_t ServerOptions::bucket_bytes() const {
  return static_cast<std::int64_t>(kMiB * bucket_mib);
}

OptionTable<ServerOptions> server_options() {
  using O = ServerOptions;
  return {
      {"servers", &O::servers, at_least(0),
       "the first ranks, which serve alone; 0: every rank serves a part, and works"},
      {"mode",
       &O::sync,
       {{"sync", true}, {"async", false}},
       "whether the parameters move once all have pushed, or at every push"},
      {"staleness", &O::staleness, at_least(0), or_word("unbounded"),
       "steps that a worker may be ahead of the slowest; with `mode=async`"},
      {"overlap", &O::overlap,
       "workers take in what they pull a step later, while they compute; with `mode=async`"},
      {"bucket_mib", &O::bucket_mib, in(0, 1e6), "gradients that are pushed at once, at least"},
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

predict::StrategyPlan plan_servers(const ServerOptions& options) {
  check(options);
  const double bytes = kMiB * options.bucket_mib;
  return {.kind = predict::StrategyKind::kServer,
          .first_bucket_bytes = bytes,
          .bucket_bytes = bytes,
          .servers = options.servers,
          .in_step = options.sync};
}

}  // namespace yoke

#include "yoke/parallel/server/server_options.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/parallel/server/part_server.h"

namespace yoke {
namespace {

void check(const ServerOptions& chosen, bool bounded, int ranks) {
  if (chosen.servers > 0 && chosen.servers >= ranks) {
    throw UsageError(fmt::format(
        "parameter-server was given servers={} for {} ranks; allowed: 0 (every rank serves and "
        "works) to {}, so that a rank is left to work",
        chosen.servers, ranks, ranks - 1));
  }
  if (chosen.sync && bounded) {
    throw UsageError("parameter-server was given staleness with mode=sync; give mode=async");
  }
  if (chosen.sync && chosen.overlap) {
    throw UsageError(
        "parameter-server was given overlap with mode=sync, whose workers wait for what all have "
        "pushed; give mode=async");
  }
}

}  // namespace

ServerOptions read_server_options(Options& options, int ranks) {
  constexpr double kMiB = 1 << 20;
  ServerOptions chosen;
  chosen.servers = static_cast<int>(options.get("servers", std::int64_t{0}, 0));
  chosen.sync = options.get("mode", std::string("sync"), {"sync", "async"}) == "sync";
  const bool unbounded = !options.contains("staleness") ||
                         options.get("staleness", std::string("unbounded")) == "unbounded";
  chosen.staleness = unbounded ? kUnbounded : options.get("staleness", std::int64_t{0}, 0);
  chosen.overlap = options.get("overlap", false);
  chosen.bucket_bytes = static_cast<std::int64_t>(kMiB * options.get("bucket_mib", 1.0, 0.0, 1e6));
  check(chosen, !unbounded, ranks);
  return chosen;
}

}  // namespace yoke

#include "yoke/predict/strategy_plan.h"

#include <fmt/format.h>

#include <limits>

#include "yoke/core/error.h"
#include "yoke/core/options.h"

namespace yoke::predict {
namespace {

constexpr double kMiB = 1 << 20;

[[noreturn]] void refuse(std::string_view text, const char* what, const char* instead) {
  throw UsageError(
      fmt::format("--strategy {}: yoke predict has no model of {}; {}", text, what, instead));
}

void read_allreduce(StrategyPlan& plan, Options& options) {
  plan.first_bucket_bytes = kMiB * options.get("first_bucket_mib", 1.0, 0.0, 1e6);
  plan.bucket_bytes = kMiB * options.get("bucket_mib", 25.0, 0.0, 1e6);
  plan.shard_state = options.get("shard_state", false);
  if (options.get("compress", std::string("none")).starts_with("powersgd")) {
    refuse(plan.text, "powersgd", "give compress=none, bf16 or fp16");
  }
  const bool whole = options.get("compress", "none", {"none", "bf16", "fp16"}) == "none";
  plan.element_bytes = whole ? 4 : 2;
  if (plan.shard_state && !whole) {
    refuse(plan.text, "shard_state with compress, which yoke train refuses",
           "leave out one of the two");
  }
  if (options.get("accumulate", std::int64_t{1}, 1, 1 << 20) > 1) {
    refuse(plan.text, "accumulate", "leave it out");
  }
  if (options.get("sync_batchnorm", false)) refuse(plan.text, "sync_batchnorm", "leave it out");
  options.get("check_every", std::int64_t{0}, 0);
}

/// Whether there is one, of the options that `yoke train` takes.
bool read_outer(std::string_view text, Options& options) {
  Choice outer = Choice::parse_inner(options.get("outer", std::string("none")), "outer optimizer");
  if (outer.name == "nesterov") {
    outer.options.get("lr", 0.7, 0.0);
    outer.options.get("momentum", 0.9, 0.0, 1.0);
  } else if (outer.name != "none") {
    throw UsageError(
        fmt::format("--strategy {}: outer is '{}'; allowed: none, nesterov:lr=0.7+momentum=0.9",
                    text, outer.name));
  }
  outer.options.finish();
  return outer.name != "none";
}

void read_averaging(StrategyPlan& plan, Options& options) {
  plan.kind = StrategyKind::kAveraging;
  const bool end = options.contains("every") && options.get("every", std::string()) == "end";
  plan.every = end ? std::numeric_limits<double>::infinity()
                   : static_cast<double>(options.get("every", std::int64_t{16}, 1));
  plan.extra_vectors = read_outer(plan.text, options) ? 3 : 1;
  if (options.get("warmup", 0.0, 0.0) > 0) {
    refuse(plan.text, "warmup", "predict allreduce for these epochs and averaging for the others");
  }
  options.get("momentum", "keep", {"keep", "reset", "average"});
  options.get("start", "same", {"same", "own"});
}

void read_server(StrategyPlan& plan, Options& options) {
  plan.kind = StrategyKind::kServer;
  plan.servers = options.get("servers", std::int64_t{0}, 0);
  plan.in_step = options.get("mode", std::string("sync"), {"sync", "async"}) == "sync";
  plan.first_bucket_bytes = plan.bucket_bytes = kMiB * options.get("bucket_mib", 1.0, 0.0, 1e6);
  const bool unbounded = options.get("staleness", std::string("unbounded")) == "unbounded";
  if (!unbounded) options.get("staleness", std::int64_t{0}, 0);
  const bool overlap = options.get("overlap", false);
  if (plan.in_step && (!unbounded || overlap)) {
    throw UsageError(fmt::format(
        "--strategy {} has {} with mode=sync, whose workers wait for what all have pushed; give "
        "mode=async, or leave it out",
        plan.text, overlap ? "overlap" : "staleness"));
  }
}

void read_hogwild(StrategyPlan& plan, const Options& options) {
  if (options.contains("workers")) {
    refuse(plan.text, "threads as workers", "leave out workers, and give --ranks-per-host");
  }
  plan.kind = StrategyKind::kHogwild;
  plan.in_step = false;
}

}  // namespace

StrategyPlan plan_strategy(std::string_view text) {
  Choice choice = Choice::parse(text, "strategy");
  StrategyPlan plan{.text = std::string(text)};
  if (choice.name == "allreduce") {
    read_allreduce(plan, choice.options);
  } else if (choice.name == "averaging") {
    read_averaging(plan, choice.options);
  } else if (choice.name == "parameter-server") {
    read_server(plan, choice.options);
  } else if (choice.name == "hogwild") {
    read_hogwild(plan, choice.options);
  } else {
    throw UsageError(fmt::format(
        "--strategy {}: yoke predict has no model of it; allowed: allreduce, averaging, "
        "parameter-server, hogwild",
        text));
  }
  choice.options.finish();
  return plan;
}

}  // namespace yoke::predict

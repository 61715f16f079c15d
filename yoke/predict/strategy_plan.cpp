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
  const auto compress = options.get("compress", std::string("none"));
  if (compress == "bf16" || compress == "fp16") plan.element_bytes = 2;
  if (compress.starts_with("powersgd")) {
    refuse(plan.text, "powersgd", "give compress=none, bf16 or fp16");
  }
  if (options.get("accumulate", std::int64_t{1}, 1) > 1) {
    refuse(plan.text, "accumulate", "leave it out");
  }
  options.get("check_every", std::int64_t{0}, 0);
  options.get("sync_batchnorm", false);
}

void read_averaging(StrategyPlan& plan, Options& options) {
  plan.kind = StrategyKind::kAveraging;
  const bool end = options.contains("every") && options.get("every", std::string()) == "end";
  plan.every = end ? std::numeric_limits<double>::infinity()
                   : static_cast<double>(options.get("every", std::int64_t{16}, 1));
  plan.extra_vectors = options.get("outer", std::string("none")) == "none" ? 1 : 3;
  if (options.get("warmup", 0.0, 0.0) > 0) {
    refuse(plan.text, "warmup", "predict allreduce for these epochs and averaging for the others");
  }
  options.get("momentum", std::string("keep"));
  options.get("start", std::string("same"));
}

void read_server(StrategyPlan& plan, Options& options) {
  plan.kind = StrategyKind::kServer;
  plan.servers = options.get("servers", std::int64_t{0}, 0);
  plan.in_step = options.get("mode", std::string("sync"), {"sync", "async"}) == "sync";
  plan.first_bucket_bytes = plan.bucket_bytes = kMiB * options.get("bucket_mib", 1.0, 0.0, 1e6);
  options.get("staleness", std::string("unbounded"));
  options.get("overlap", false);
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

#include "yoke/predict/communicator_plan.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/options.h"

namespace yoke::predict {
namespace {

CommunicatorPlan read_throttle(Options& options) {
  CommunicatorPlan plan{.between = options.get("over", std::string("gloo")),
                        .shares_memory = false};
  const double megabytes = options.get("megabytes_per_second", 125.0, 1e-6);
  const double latency = options.get("latency_milliseconds", 0.05, 0.0);
  plan.throttle = Link{.latency_seconds = latency / 1e3, .seconds_per_byte = 1 / (megabytes * 1e6)};
  return plan;
}

}  // namespace

CommunicatorPlan plan_communicator(std::string_view text) {
  Choice choice = Choice::parse(text, "communicator");
  CommunicatorPlan plan;
  if (choice.name == "throttle") {
    plan = read_throttle(choice.options);
  } else if (choice.name == "gloo" || choice.name == "mpi") {
    plan = {.between = choice.name, .shares_memory = false, .chooses = choice.name == "mpi"};
  } else if (choice.name == "hierarchical") {
    plan.between = choice.options.get("between", "gloo", {"gloo", "mpi"});
  } else if (choice.name == "shared-memory") {
    plan.one_host = true;
  } else if (choice.name != "auto") {
    throw UsageError(fmt::format(
        "--comm {}: yoke predict has no model of it; allowed: auto, gloo, hierarchical, mpi, "
        "shared-memory, throttle",
        text));
  }
  choice.options.finish();
  return plan;
}

}  // namespace yoke::predict

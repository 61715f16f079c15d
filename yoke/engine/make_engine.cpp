#include "yoke/engine/make_engine.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/engine/compiled.h"
#include "yoke/engine/eager.h"

namespace yoke {
namespace {

EngineChoice make_eager(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  if (options.precision != Precision::kFp32) {
    throw UsageError(
        "the eager engine computes in fp32; use --precision fp32 or --engine compiled");
  }
  if (options.replicas > 1) {
    throw UsageError(
        fmt::format("the eager engine is one replica, not {}; it uses --threads; give "
                    "--replicas 1 or --engine compiled",
                    options.replicas));
  }
  return {make_eager_engine(model, parameters, options.label_smoothing), "eager", 1, ""};
}

EngineChoice make_compiled(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  const int replicas = options.replicas > 0 ? options.replicas : options.threads;
  auto engine = make_compiled_engine(model, parameters,
                                     {.precision = options.precision,
                                      .replicas = replicas,
                                      .micro_batch = options.micro_batch,
                                      .label_smoothing = options.label_smoothing});
  return {std::move(engine), "compiled", replicas, ""};
}

}  // namespace

EngineChoice make_engine(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  if (options.name == "eager") return make_eager(model, parameters, options);
  if (options.name == "compiled") return make_compiled(model, parameters, options);
  if (options.name != "auto") {
    throw UsageError(fmt::format("engine is '{}'; allowed: auto, eager, compiled", options.name));
  }
  if (parameters.values().is_cuda()) return make_eager(model, parameters, options);
  try {
    return make_compiled(model, parameters, options);
  } catch (const UnsupportedModel& error) {
    EngineChoice eager = make_eager(model, parameters, options);
    eager.note = error.what();
    return eager;
  }
}

}  // namespace yoke

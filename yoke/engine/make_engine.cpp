#include "yoke/engine/make_engine.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/engine/compiled.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/engine/eager/replicated.h"
#include "yoke/engine/eager/step_graph.h"
#include "yoke/engine/onednn_fault.h"

namespace yoke {
namespace {

/// Where so many replicas of the eager engine are.
std::vector<torch::Device> replica_devices(torch::Device first, int replicas) {
  std::vector<torch::Device> devices(static_cast<std::size_t>(replicas), first);
  if (first.is_cpu()) return devices;
  const auto gpus = static_cast<int>(torch::cuda::device_count());
  if (first.index() + replicas > gpus) {
    throw UnavailableError(
        fmt::format("{} replicas need a GPU each, from {} on, but LibTorch sees {}; give "
                    "--replicas {} or fewer, or --device cpu",
                    replicas, first.str(), format_count(gpus, "GPU"), gpus - first.index()));
  }
  for (int r = 0; r < replicas; ++r) {
    devices[static_cast<std::size_t>(r)].set_index(
        static_cast<c10::DeviceIndex>(first.index() + r));
  }
  return devices;
}

EngineChoice make_eager(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  if (options.precision == Precision::kBf16 && parameters.values().is_cpu()) {
    throw UsageError(
        "on a processor the eager engine computes in fp32, or casts by --precision o1; use one of "
        "these, or --engine compiled for bf16");
  }
  if (options.replicas < 2) {
    EagerOptions eager{.loss = options.loss,
                       .precision = options.precision,
                       .loss_scale = options.loss_scale,
                       .another = options.another};
    if (options.cuda_graph) eager.graph = make_step_graph;
    return {make_eager_engine(model, parameters, eager), EngineKind::kEager, 1, ""};
  }
  if (options.cuda_graph) {
    throw UsageError(
        fmt::format("--cuda-graph on records the step of one replica, and --replicas is {}; give "
                    "--cuda-graph off, or --replicas 1 and a rank for each GPU",
                    options.replicas));
  }
  if (!options.another) {
    throw UsageError(
        fmt::format("{} replicas of the eager engine need copies of the model; set "
                    "EngineOptions::another, or ask for one replica",
                    options.replicas));
  }
  auto engine = make_replicated_engine(
      model, parameters,
      {.devices = replica_devices(parameters.values().device(), options.replicas),
       .threads = options.threads,
       .loss = options.loss,
       .another = options.another,
       .precision = options.precision,
       .loss_scale = options.loss_scale});
  return {std::move(engine), EngineKind::kEager, options.replicas, ""};
}

EngineChoice make_compiled(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  const int replicas = options.replicas > 0 ? options.replicas : options.threads;
  auto engine = make_compiled_engine(model, parameters,
                                     {.precision = options.precision,
                                      .replicas = replicas,
                                      .micro_batch = options.micro_batch,
                                      .convolution = options.convolution,
                                      .loss = options.loss,
                                      .early_gradients = options.early_gradients});
  return {std::move(engine), EngineKind::kCompiled, replicas, ""};
}

/// The eager engine where oneDNN has a `fault`, from which LibTorch is kept as well.
EngineChoice make_without_onednn(Model& model, FlatParameters& parameters,
                                 const EngineOptions& options, const std::string& fault) {
  if (options.kind == EngineKind::kCompiled) {
    throw UnavailableError(fmt::format(
        "--engine compiled computes by oneDNN, but {}; use --engine eager, which does without, or "
        "another version (docs/install.md)",
        fault));
  }
  at::globalContext().setUserEnabledMkldnn(false);
  EngineChoice eager = make_eager(model, parameters, options);
  eager.note = fmt::format(
      "the eager engine computes, slowly and without oneDNN: {}; use another version "
      "(docs/install.md)",
      fault);
  return eager;
}

}  // namespace

EngineChoice make_engine(Model& model, FlatParameters& parameters, const EngineOptions& options) {
  if (options.cuda_graph && parameters.values().is_cpu()) make_step_graph(torch::kCPU);  // says why
  if (parameters.values().is_cpu()) {
    if (const std::string fault = onednn_fault(); !fault.empty()) {
      return make_without_onednn(model, parameters, options, fault);
    }
  }
  if (options.kind == EngineKind::kEager) return make_eager(model, parameters, options);
  if (options.kind == EngineKind::kCompiled) return make_compiled(model, parameters, options);
  const bool compiles =
      options.precision == Precision::kFp32 || options.precision == Precision::kBf16;
  if (parameters.values().is_cuda() || !compiles) return make_eager(model, parameters, options);
  try {
    return make_compiled(model, parameters, options);
  } catch (const UnsupportedModel& error) {
    EngineChoice eager = make_eager(model, parameters, options);
    eager.note = error.what();
    return eager;
  }
}

}  // namespace yoke

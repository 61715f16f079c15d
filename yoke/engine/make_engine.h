// yoke/engine/make_engine.h: the engine that a run asks for.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "yoke/core/enum_words.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/convolution_algorithm.h"
#include "yoke/engine/engine.h"
#include "yoke/engine/loss.h"
#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke {

/// What computes a step.
enum class EngineKind { kAuto, kEager, kCompiled };

template <>
struct EnumWords<EngineKind> {
  static constexpr std::string_view kWords[] = {"auto", "eager", "compiled"};
};

/// What shall compute the step, and how.
struct EngineOptions {
  EngineKind kind = EngineKind::kAuto;
  Precision precision = Precision::kFp32;
  int replicas = 0;  ///< Copies of the step; 0: compiled as many as `threads`, eager one.
  int threads = 1;   ///< That the process may use.
  std::int64_t micro_batch = 0;                                    ///< See CompiledOptions.
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::kAuto;  ///< Likewise.
  LossOptions loss = {};
  bool early_gradients = false;  ///< See CompiledOptions.
  /// See ReplicatedOptions and EagerOptions; for more than one eager replica, and for o2.
  std::function<Model()> another = {};
  std::function<double()> loss_scale = {};  ///< See EagerOptions; where scales_loss() is true.
  bool cuda_graph = false;  ///< Records the step, see make_step_graph(); one replica on a GPU.
};

/// An engine and what it is.
struct EngineChoice {
  std::unique_ptr<Engine> engine;
  EngineKind kind = EngineKind::kEager;
  int replicas = 1;
  std::string note;  ///< Why it is not the one that `auto` would rather take; empty where it is.
};

/// Makes the engine: `auto` is `compiled` on processors, where it supports the model, else `eager`.
/// Eager replicas on GPUs take that of the parameters and those that follow it. Where oneDNN has an
/// onednn_fault(), `auto` is `eager`, and LibTorch is kept from it in the whole process. `model`
/// and `parameters` must outlive the engine. @throws UsageError on what cannot be had.
EngineChoice make_engine(Model& model, FlatParameters& parameters, const EngineOptions& options);

}  // namespace yoke

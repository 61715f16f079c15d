// yoke/engine/compiled.h: the engine that turns a model into one static plan of oneDNN primitives.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/convolution_algorithm.h"
#include "yoke/engine/engine.h"
#include "yoke/engine/loss.h"
#include "yoke/engine/precision.h"
#include "yoke/models/model.h"

namespace yoke {

/// Thrown where a model has an operator that does not compile; says which.
class UnsupportedModel : public UsageError {
 public:
  using UsageError::UsageError;
};

/// How a model is compiled.
struct CompiledOptions {
  Precision precision = Precision::kFp32;  ///< Or Precision::kBf16.
  int replicas = 1;                        ///< Copies of the step, a thread each.
  std::int64_t micro_batch = 0;  ///< Images a replica computes at once; 0 measures what is best.
  ConvolutionAlgorithm convolution = ConvolutionAlgorithm::kAuto;
  LossOptions loss = {};
  /// Whether somebody waits for gradients. In networks that end with most of their parameters the
  /// gradients of these are then complete before the backward pass of what comes before them, of a
  /// part of the batch.
  bool early_gradients = false;
};

/// What a step of the plan cost in a run of it: for a micro-batch, or where the model mixes images,
/// for all images of a replica.
struct StepCost {
  std::string layer, operation, pass;
  double milliseconds = 0;  ///< Of one run on one thread.
  double flops = 0;         ///< Of one run, of the matrix kind.
  bool primitive = false;   ///< The network's own arithmetic in oneDNN.
};

/// An engine for processors, several times faster than eager on small networks. Each replica
/// computes its part of the batch in micro-batches that fit the cache: from the first layer to the
/// last, or where the model normalises over the batch, from one such layer to the next, or with
/// `early_gradients` up to a heavy end; gradients are summed in a fixed order. The result depends
/// on the number of replicas only through rounding, except that batch norm normalises over each
/// replica's part; its running statistics are those of the whole batch. Dropout draws from
/// counter-based streams of (seed, rank, step, layer, element).
class CompiledEngine : public Engine {
 public:
  /// Floating point operations of a training step per image, of the matrix kind.
  virtual double flops_per_image() const = 0;
  /// Runs the plan of a training step `repetitions` times and gives the mean of each of its steps.
  virtual std::vector<StepCost> profile(const Batch& batch, int repetitions) = 0;
  /// As gradient(), but only the network's own arithmetic in oneDNN: no reorder, no loss, no sum.
  virtual void run_primitives(const Batch& batch) = 0;
};

/// Compiles `model`, whose parameters are `parameters`; both must outlive the engine. Sets
/// LibTorch's own threads to one: the replicas are the threads.
/// @throws UnsupportedModel; UsageError where the engine or the processor lacks the precision.
std::unique_ptr<CompiledEngine> make_compiled_engine(Model& model, FlatParameters& parameters,
                                                     const CompiledOptions& options);

}  // namespace yoke

// yoke/engine/eager.h: the engine that runs any module operator by operator, through autograd.
#pragma once
#include <memory>

#include "yoke/core/flat_parameters.h"
#include "yoke/engine/engine.h"
#include "yoke/models/model.h"

namespace yoke {

/// Who seeds torch's default generators, from which dropout draws, before each gradient().
enum class Seeding { kEngine, kCaller };

/// Makes the eager engine. `parameters` are those of `model`, on the device where it is to run;
/// batches are moved there. The loss is the cross-entropy of the model's scores, which may be
/// logits or log-probabilities, with `label_smoothing` in [0, 1] (Szegedy et al. 2015, section 7).
/// Both must outlive the engine.
std::unique_ptr<Engine> make_eager_engine(Model& model, FlatParameters& parameters,
                                          double label_smoothing = 0,
                                          Seeding seeding = Seeding::kEngine);

/// What the generators are seeded with for a batch.
std::uint64_t dropout_seed(const Batch& batch, const StepKey& key);

}  // namespace yoke

// yoke/engine/sized.h: one model on images of several sizes.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "yoke/core/image_shape.h"
#include "yoke/engine/make_engine.h"

namespace yoke {

/// Makes the engine of a model, which outlives it.
using MakeEngine = std::function<EngineChoice(Model& model, const EngineOptions& options)>;

/// `model` on images of its own size and of `sizes`, squares, which share its parameters: a batch
/// goes to the engine that was made for its size, or to the only one where that takes them all.
/// @throws UsageError where the model does not take images of such a size, and what `make` throws.
EngineChoice make_sized_engine(Model& model, const std::vector<std::int64_t>& sizes,
                               const EngineOptions& options, const MakeEngine& make);

}  // namespace yoke

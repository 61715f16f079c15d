// yoke/engine/compiled/check_step.h: that the compiled step computes what the model does.
#pragma once
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/graph/traced.h"
#include "yoke/models/model.h"

namespace yoke::compiled {

/// Compares scores of a few images, compiled, with those that `model` gives in evaluation mode;
/// and their gradient with that of autograd, without dropout. `training` and `inference` are the
/// model's traces, `options` those of its plans. Leaves the model as it was.
/// @throws UnsupportedModel where they differ by more than the rounding of the precision; says in
/// which layer.
void check_step(const Model& model, FlatParameters& parameters, const TracedGraph& training,
                const TracedGraph& inference, const PlanOptions& options);

}  // namespace yoke::compiled

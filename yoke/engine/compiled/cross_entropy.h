// yoke/engine/compiled/cross_entropy.h: what comes after the last layer.
#pragma once
#include "yoke/engine/compiled/builder.h"

namespace yoke::compiled {

/// Copies the network's output to where the caller wants the scores.
void plan_scores(Builder& builder, ValueId output);

/// The losses, and the gradient of their mean over the rank's batch, contributed to `output`.
void plan_cross_entropy(Builder& builder, ValueId output);

}  // namespace yoke::compiled

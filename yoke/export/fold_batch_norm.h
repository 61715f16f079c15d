// yoke/export/fold_batch_norm.h: batch norms as part of the convolutions before them.
#pragma once
#include "yoke/export/inference_graph.h"

namespace yoke {

/// Multiplies the weights of each convolution by the scale of the batch norm that follows it, adds
/// the shift to its bias and leaves the batch norm out; returns how many there were. One that
/// follows anything else, or whose convolution is of use elsewhere too, stays.
int fold_batch_norms(InferenceGraph& inference);

}  // namespace yoke

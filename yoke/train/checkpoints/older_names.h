// yoke/train/checkpoints/older_names.h: names that published files have and models have not any
// more.
#pragma once
#include "yoke/core/named_tensors.h"

namespace yoke {

/// Gives the tensors of `given` today's names where `wanted`, the tensors of the model, has these
/// and not the older ones: torchvision's files of DenseNets have `denselayer1.norm.1.weight` for
/// what is `denselayer1.norm1.weight`.
void take_newer_names(NamedTensors& given, const NamedTensors& wanted);

}  // namespace yoke

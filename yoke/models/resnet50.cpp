// yoke/models/resnet50.cpp: the 50-layer residual network of bottleneck blocks; as in torchvision,
// the 3x3 convolutions have the strides.
#include "yoke/models/resnet.h"

namespace yoke {

Model make_resnet50(const ModelInput& input, Options& options) {
  return make_resnet({"resnet50", ResidualBlock::kBottleneck, {3, 4, 6, 3}}, input, options);
}

}  // namespace yoke

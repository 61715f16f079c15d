// yoke/models/resnet50.cpp: the 50-layer residual network of bottleneck blocks; as in torchvision,
// the 3x3 convolutions have the strides.
#include "yoke/models/resnet.h"

namespace yoke {

ModelPlugin resnet50_model() {
  return resnet_plugin({"resnet50", ResidualBlock::kBottleneck, {3, 4, 6, 3}});
}

}  // namespace yoke

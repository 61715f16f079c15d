// yoke/models/resnet18.cpp: the 18-layer residual network.
#include "yoke/models/resnet.h"

namespace yoke {

ModelPlugin resnet18_model() {
  return resnet_plugin({"resnet18", ResidualBlock::kBasic, {2, 2, 2, 2}});
}

}  // namespace yoke

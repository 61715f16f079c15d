// yoke/models/resnet34.cpp: the 34-layer residual network.
#include "yoke/models/resnet.h"

namespace yoke {

ModelPlugin resnet34_model() {
  return resnet_plugin({"resnet34", ResidualBlock::kBasic, {3, 4, 6, 3}});
}

}  // namespace yoke

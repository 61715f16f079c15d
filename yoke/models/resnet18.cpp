// yoke/models/resnet18.cpp: the 18-layer residual network.
#include "yoke/models/resnet.h"

namespace yoke {

Model make_resnet18(const ModelInput& input, Options& options) {
  return make_resnet({"resnet18", ResidualBlock::kBasic, {2, 2, 2, 2}}, input, options);
}

}  // namespace yoke

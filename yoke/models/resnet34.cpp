// yoke/models/resnet34.cpp: the 34-layer residual network.
#include "yoke/models/resnet.h"

namespace yoke {

Model make_resnet34(const ModelInput& input, Options& options) {
  return make_resnet({"resnet34", ResidualBlock::kBasic, {3, 4, 6, 3}}, input, options);
}

}  // namespace yoke

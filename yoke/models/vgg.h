// yoke/models/vgg.h: plain convolutional networks with batch norm (Simonyan and Zisserman 2014,
// table 1), as torchvision builds them.
#pragma once
#include <array>
#include <cstdint>

#include "yoke/models/model.h"

namespace yoke {

/// How many 3x3 convolutions each of the five stages has; a pool follows each stage.
using VggStages = std::array<std::int64_t, 5>;

/// A network with torchvision's parameter names and initialisation; images of less than 32 pixels a
/// side are enlarged.
ModelPlugin vgg_plugin(const VggStages& stages);

}  // namespace yoke

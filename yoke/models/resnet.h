// yoke/models/resnet.h: residual networks (He et al. 2015, table 1), as torchvision builds them.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "yoke/models/model.h"

namespace yoke {

/// What the stages repeat: two 3x3 convolutions, or 1x1, 3x3, 1x1 with four times the channels.
enum class ResidualBlock { kBasic, kBottleneck };

/// Which residual network.
struct ResnetForm {
  std::string_view name;  ///< In messages.
  ResidualBlock block;
  std::array<std::int64_t, 4> blocks;  ///< In each stage.
};

/// A residual network with torchvision's parameter names and initialisation, which refuses small
/// images.
ModelPlugin resnet_plugin(const ResnetForm& form);

}  // namespace yoke

// yoke/engine/convolution_algorithm.h: how the compiled engine computes convolutions.
#pragma once
#include "yoke/core/enum_words.h"

namespace yoke {

/// How convolutions of 3x3 and 5x5 with stride 1 are computed; all others are direct.
enum class ConvolutionAlgorithm {
  kAuto,      ///< By whichever has less to do; see docs/decisions/0022-winograd.md.
  kDirect,    ///< All products.
  kWinograd,  ///< A quarter of the products or less, of transformed tiles (Lavin and Gray 2016).
};

template <>
struct EnumWords<ConvolutionAlgorithm> {
  static constexpr std::string_view kWords[] = {"auto", "direct", "winograd"};
};

}  // namespace yoke

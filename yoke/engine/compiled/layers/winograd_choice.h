// yoke/engine/compiled/layers/winograd_choice.h: which convolutions go by Winograd's tiles.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// How a layer goes.
enum class ConvolutionWay {
  kDirect,
  kWinograd,        ///< plan_winograd(): to a multiple of 16 channels.
  kNarrowWinograd,  ///< plan_narrow_winograd(): of 1 or 3 input channels to a multiple of 16.
};

/// The way by tiles that `layer` allows: 3x3 or 5x5 with stride 1, without groups and dilation;
/// kDirect if none.
ConvolutionWay way_by_tiles(const Convolution& layer);

/// Whether that is so of a convolution in `graph`.
bool has_winograd(const LayerGraph& graph);

/// Whether that is faster than directly in a step of `type` by vector instructions, for so many
/// `runs` of so many images in a step, by count.
bool winograd_pays(const Convolution& layer, std::int64_t images, std::int64_t runs,
                   dnnl::memory::data_type type);

/// What the plan is to take for `layer`, which else goes `directly`.
ConvolutionWay way_of(const Builder& builder, const Convolution& layer,
                      const dnnl::convolution_forward::primitive_desc& directly);

}  // namespace yoke::compiled

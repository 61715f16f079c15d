// yoke/engine/compiled/layers/winograd_choice.h: which convolutions go by Winograd's tiles.
#pragma once
#include "yoke/engine/compiled/builder.h"
#include "yoke/engine/compiled/layers/convolution.h"

namespace yoke::compiled {

/// Whether `layer` can be computed so: 3x3 or 5x5 with stride 1, without groups and dilation, of
/// multiples of 16 channels.
bool allows_winograd(const Convolution& layer);

/// Whether that is so of a convolution in `graph`.
bool has_winograd(const LayerGraph& graph);

/// Whether that is faster, in fp32, than directly in `type` by vector instructions, for a run of so
/// many images, by count.
bool winograd_pays(const Convolution& layer, std::int64_t images, dnnl::memory::data_type type);

/// Whether the plan is to compute `layer` so, which else goes `directly`.
bool takes_winograd(const Builder& builder, const Convolution& layer,
                    const dnnl::convolution_forward::primitive_desc& directly);

}  // namespace yoke::compiled

// yoke/engine/compiled/onednn_faults.h: implementations in oneDNN 2.6 that compute wrongly.
//
// Found by comparing bf16 convolutions of random shapes with plain loops, on a processor with AMX.
#pragma once
#include "yoke/engine/compiled/onednn.h"

namespace yoke::onednn {

/// Part of the name of the implementations that must not compute this convolution; null where all
/// are good. `weights` is its [O, I, H, W] or [G, O / G, I / G, H, W].
const char* faulty_forward(const memory::desc& weights, const Windows& windows);

/// As above, of the gradient of the weights; `src` is the convolution's input.
const char* faulty_weight_gradient(const memory::desc& src, const memory::desc& weights,
                                   const Windows& windows);

}  // namespace yoke::onednn

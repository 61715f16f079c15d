// yoke/engine/compiled/onednn_faults.h: implementations in oneDNN that compute wrongly.
//
// Found by comparing convolutions of random shapes with plain loops: 2.6 and 3.7, on processors
// with AMX and without.
#pragma once
#include <string_view>
#include <vector>

#include "yoke/engine/compiled/onednn.h"

namespace yoke::onednn {

/// Parts of the names of the implementations that must not compute this convolution; empty where
/// all are good. `src` is its [N, I, H, W], `weights` its [O, I, H, W] or [G, O / G, I / G, H, W].
std::vector<std::string_view> faulty_forward(const memory::desc& src, const memory::desc& weights,
                                             const Windows& windows);

/// As above, of the gradient of the data.
std::vector<std::string_view> faulty_data_gradient(const memory::desc& src,
                                                   const memory::desc& weights,
                                                   const Windows& windows);

/// As above, of the gradient of the weights.
std::vector<std::string_view> faulty_weight_gradient(const memory::desc& src,
                                                     const memory::desc& weights,
                                                     const Windows& windows);

}  // namespace yoke::onednn

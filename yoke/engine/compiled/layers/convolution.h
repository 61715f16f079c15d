// yoke/engine/compiled/layers/convolution.h: two-dimensional convolution with bias and ReLU.
#pragma once
#include <memory>
#include <string>

#include "yoke/engine/compiled/kernels/patches.h"
#include "yoke/engine/compiled/layers/matrix_layer.h"

namespace yoke::compiled {

/// A convolution, in groups or not.
struct Convolution final : MatrixLayer {
  dnnl::memory::dims kernel;  // of the weights: [O, I, H, W], or [G, O / G, I / G, H, W]
  onednn::Windows windows;
  ImageShape input_shape, output_shape;

  std::string kind() const override { return "convolution"; }
  double flops() const override {
    const auto taps = static_cast<double>(kernel[kernel.size() - 1] * kernel[kernel.size() - 2] *
                                          kernel[kernel.size() - 3]);
    return 2 * taps * static_cast<double>(output_shape.elements());
  }
  std::unique_ptr<LayerPlan> plan() const override;
};

/// Which pixels it sees.
PatchGeometry patch_geometry(const Convolution& layer);

}  // namespace yoke::compiled

// tests/engine/random_blocks.h: a few layers together, drawn at random.
#pragma once
#include "tests/engine/random_layers.h"

namespace yoke::test {

/// What draws a convolution or linear layer.
using DrawMatrixLayer = std::function<RandomLayer(bool bias)>;

/// A layer, perhaps with batch norm, perhaps with an activation.
RandomLayer draw_finished(Draft& draft, const DrawMatrixLayer& draw, bool flat);

/// Sums and products of x and branch(x), which have equal shapes; x may be read three times.
RandomLayer draw_join(Draft& draft, const RandomLayer& branch);

// Of images.
RandomLayer draw_finished_convolution(Draft& draft, const ImageShape& in);
RandomLayer draw_image_block(Draft& draft, const ImageShape& in);

/// An operator that has no layer, which LibTorch computes.
RandomLayer draw_other(Draft& draft, const ImageShape& in);

/// From images to features.
RandomLayer draw_flatten(Draft& draft, const ImageShape& in);

/// Of features.
RandomLayer draw_feature_block(Draft& draft, const ImageShape& in);

}  // namespace yoke::test

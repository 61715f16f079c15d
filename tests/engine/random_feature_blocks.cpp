#include <fmt/format.h>

#include "tests/engine/random_blocks.h"

namespace yoke::test {
namespace {

using torch::Tensor;

RandomLayer linear(Draft& draft, const ImageShape& in) {
  const std::int64_t features = draft.channels();
  return draw_finished(
      draft, [&](bool bias) { return draw_linear(draft, in, features, bias); }, true);
}

RandomLayer linear_residual(Draft& draft, const ImageShape& in) {
  const RandomLayer first = linear(draft, in);
  return chain(first, draw_join(draft, draw_linear(draft, first.shape, first.shape.channels,
                                                   draft.chance(0.5))));
}

RandomLayer linear_concatenation(Draft& draft, const ImageShape& in) {
  const RandomLayer a = linear(draft, in), b = linear(draft, in);
  return {fmt::format("cat({}; {})", a.text, b.text),
          {a.shape.channels + b.shape.channels, 1, 1},
          [a, b](Tensor x) {
            return torch::cat({a.forward(x), b.forward(x)}, -1);
          }};
}

/// From features back to an image and to features again.
RandomLayer image_between(Draft& draft, const ImageShape& in) {
  const ImageShape image{draft.channels(), draft.between(1, 3), draft.between(2, 3)};
  const RandomLayer view{"view " + image.str(), image, [image](Tensor x) {
                           return x.view({-1, image.channels, image.height, image.width});
                         }};
  const RandomLayer layer = draw_finished_convolution(draft, image);
  return chain(chain(draw_linear(draft, in, image.elements(), draft.chance(0.5)), view),
               chain(layer, draw_flatten(draft, layer.shape)));
}

}  // namespace

RandomLayer draw_feature_block(Draft& draft, const ImageShape& in) {
  using DrawBlock = RandomLayer (*)(Draft&, const ImageShape&);
  const auto draw = draft.pick(std::initializer_list<DrawBlock>{
      linear, linear, linear_residual, linear_concatenation, image_between});
  return draw(draft, in);
}

}  // namespace yoke::test

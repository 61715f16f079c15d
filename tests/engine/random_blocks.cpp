#include "tests/engine/random_blocks.h"

#include <fmt/format.h>
#include <torch/types.h>

namespace yoke::test {
namespace {

using torch::Tensor;

/// Whether the layer drawn last has several weights per result: the gradient of a single one
/// before batch norm is zero, as is that of a bias, and what comes out is rounding alone.
bool has_several_weights(Draft& draft) {
  const Tensor weight = draft.module.parameters().back();
  return weight.numel() > weight.size(0);
}

}  // namespace

RandomLayer draw_finished(Draft& draft, const DrawMatrixLayer& draw, bool flat) {
  const bool normalise = draft.may_normalise() && draft.chance(0.5);
  RandomLayer layer = draw(!normalise && draft.chance(0.5));
  if (normalise && draft.may_normalise(layer.shape) && has_several_weights(draft)) {
    layer = chain(layer, draw_batch_norm(draft, layer.shape, flat));
  }
  if (draft.chance(0.2)) {
    return chain(layer, {"relu in place", layer.shape, [](Tensor x) { return x.relu_(); }});
  }
  return draft.chance(0.6) ? chain(layer, draw_activation(draft, layer.shape)) : layer;
}

RandomLayer draw_join(Draft& draft, const RandomLayer& branch) {
  const auto [text, forward] =
      draft.pick(std::initializer_list<std::pair<const char*, Tensor (*)(Tensor, Tensor)>>{
          {"x + f(x)", [](Tensor x, Tensor y) { return x + y; }},
          {"relu(f(x) + x)", [](Tensor x, Tensor y) { return torch::relu(y + x); }},
          {"relu(f(x) += x)", [](Tensor x, Tensor y) { return y.add_(x).relu_(); }},
          {"x + f(x) + x", [](Tensor x, Tensor y) { return x + y + x; }},
          {"relu(x + x) + f(x)", [](Tensor x, Tensor y) { return torch::relu(x + x) + y; }},
          {"x * tanh(f(x))", [](Tensor x, Tensor y) { return x * torch::tanh(y); }},
          {"t * t + f(x), t: tanh(x)", [](Tensor x, Tensor y) {
             const Tensor t = torch::tanh(x);
             return t * t + y;
           }}});
  return {fmt::format("({}, f: {})", text, branch.text), branch.shape,
          [branch, forward](Tensor x) { return forward(x, branch.forward(x)); }};
}

RandomLayer draw_flatten(Draft& draft, const ImageShape& in) {
  const ImageShape flat{in.elements(), 1, 1};
  return draft.pick(
      std::initializer_list<RandomLayer>{{"flatten", flat, [](Tensor x) { return x.flatten(1); }},
                                         {"view", flat,
                                          [flat](Tensor x) {
                                            return x.view({-1, flat.channels});
                                          }},
                                         {"reshape", flat, [flat](Tensor x) {
                                            return x.reshape({-1, flat.channels});
                                          }}});
}

}  // namespace yoke::test

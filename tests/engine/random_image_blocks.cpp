#include <fmt/format.h>

#include "tests/engine/random_blocks.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// A convolution that keeps height and width.
RandomLayer branch(Draft& draft, const ImageShape& in) {
  const std::int64_t channels = draft.channels();
  return draw_finished(
      draft, [&](bool bias) { return draw_same_convolution(draft, in, channels, bias); }, false);
}

RandomLayer pool(Draft& draft, const ImageShape& in) {
  const auto draw = draft.pick(std::initializer_list<RandomLayer (*)(Draft&, const ImageShape&)>{
      draw_max_pool, draw_max_pool, draw_average_pool, draw_average_pool, draw_adaptive_pool});
  const RandomLayer layer = draw(draft, in);
  return draft.chance(0.3) ? chain(layer, draw_activation(draft, layer.shape)) : layer;
}

RandomLayer residual(Draft& draft, const ImageShape& in) {
  const RandomLayer first = branch(draft, in);
  return draw_join(draft, chain(first, draw_same_convolution(draft, first.shape, in.channels,
                                                             draft.chance(0.5))));
}

/// One number per channel and image: [N, C, 1, 1].
RandomLayer channel_numbers(Draft& draft, const ImageShape& in, bool bias) {
  const ImageShape one{in.channels, 1, 1};
  const RandomLayer pool{"mean", one, [](Tensor x) {
                           return torch::adaptive_avg_pool2d(x, {1, 1});
                         }};
  if (draft.chance(0.5)) return chain(pool, draw_same_convolution(draft, one, in.channels, bias));
  const RandomLayer flatten{"flatten", one, [](Tensor x) { return x.flatten(1); }};
  const RandomLayer view{"view", one, [one](Tensor x) { return x.view({-1, one.channels, 1, 1}); }};
  return chain(pool, chain(chain(flatten, draw_linear(draft, one, in.channels, bias)), view));
}

RandomLayer broadcast(Draft& draft, const ImageShape& in) {
  const RandomLayer numbers = channel_numbers(draft, in, draft.chance(0.5));
  const auto [text, forward] =
      draft.pick(std::initializer_list<std::pair<const char*, Tensor (*)(Tensor, Tensor)>>{
          {"x * sigmoid(s)", [](Tensor x, Tensor s) { return x * torch::sigmoid(s); }},
          {"sigmoid(s) * x", [](Tensor x, Tensor s) { return torch::sigmoid(s) * x; }},
          {"relu(x + s)", [](Tensor x, Tensor s) { return torch::relu(x + s); }},
          {"s + x", [](Tensor x, Tensor s) { return s + x; }}});
  return {fmt::format("({}, s: {})", text, numbers.text), in,
          [numbers, forward](Tensor x) { return forward(x, numbers.forward(x)); }};
}

RandomLayer concatenation(Draft& draft, const ImageShape& in) {
  std::vector<RandomLayer> parts;
  if (draft.chance(0.6)) parts.push_back({"x", in, [](Tensor x) { return x; }});
  const RandomLayer pool{"max pool", in, [](Tensor x) { return torch::max_pool2d(x, 3, 1, 1); }};
  if (draft.chance(0.3)) parts.push_back(pool);
  while (parts.size() < 2 || (parts.size() < 3 && draft.chance(0.5))) {
    parts.push_back(branch(draft, in));
  }
  RandomLayer result{"cat(", {0, in.height, in.width}, nullptr};
  for (const RandomLayer& part : parts) {
    result.text += part.text + "; ";
    result.shape.channels += part.shape.channels;
  }
  result.text += ")";
  result.forward = [parts](Tensor x) {
    std::vector<Tensor> results;
    for (const RandomLayer& part : parts) results.push_back(part.forward(x));
    return torch::cat(results, 1);
  };
  return result;
}

RandomLayer rearrangement(Draft& draft, const ImageShape& in) {
  const auto& [channels, height, width] = in;
  const ImageShape turned{width, channels, height}, merged{channels * height, 1, width};
  return draft.pick(std::initializer_list<RandomLayer>{
      {"dropout 0", in, [](Tensor x) { return torch::dropout(x, 0, true); }},
      {"contiguous", in, [](Tensor x) { return x.contiguous(); }},
      {"view " + turned.str(), turned,
       [turned](Tensor x) {
         return x.view({-1, turned.channels, turned.height, turned.width});
       }},
      {"reshape " + merged.str(), merged, [merged](Tensor x) {
         return x.reshape({-1, merged.channels, 1, merged.width});
       }}});
}

}  // namespace

RandomLayer draw_finished_convolution(Draft& draft, const ImageShape& in) {
  return draw_finished(
      draft, [&](bool bias) { return draw_convolution(draft, in, bias); }, false);
}

RandomLayer draw_image_block(Draft& draft, const ImageShape& in) {
  using DrawBlock = RandomLayer (*)(Draft&, const ImageShape&);
  const auto draw = draft.pick(std::initializer_list<DrawBlock>{
      draw_finished_convolution, draw_finished_convolution, draw_finished_convolution, pool, pool,
      draw_activation, residual, residual, broadcast, concatenation, rearrangement});
  return draw(draft, in);
}

}  // namespace yoke::test

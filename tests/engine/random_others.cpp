// tests/engine/random_others.cpp: operators that have no layers, drawn at random.
#include <ATen/ops/group_norm.h>
#include <fmt/format.h>
#include <torch/nn/functional/upsampling.h>

#include "tests/engine/random_blocks.h"

namespace yoke::test {
namespace {

using torch::Tensor;

torch::Tensor parameter(Draft& draft, const std::string& kind, torch::IntArrayRef sizes) {
  return draft.module.register_parameter(draft.name(kind), torch::randn(sizes) * 0.3);
}

/// One that keeps the shape and has no parameters.
RandomLayer draw_function(Draft& draft, const ImageShape& in) {
  using Function = std::pair<const char*, Tensor (*)(Tensor)>;
  const auto [text, forward] = draft.pick(std::initializer_list<Function>{
      {"x - 0.5", [](Tensor x) { return x - 0.5; }},
      {"1.5 - x", [](Tensor x) { return 1.5 - x; }},
      {"x / 3", [](Tensor x) { return x / 3; }},
      {"x + 2 x", [](Tensor x) { return torch::add(x, x, 2); }},
      {"sqrt(x^2 + 1)", [](Tensor x) { return torch::sqrt(x.pow(2) + 1); }},
      {"exp(-|x|)", [](Tensor x) { return torch::exp(-x.abs()); }},
      {"softplus", [](Tensor x) { return torch::softplus(x); }},
      {"mish", [](Tensor x) { return torch::mish(x); }},
      {"selu", [](Tensor x) { return torch::selu(x); }},
      {"log sigmoid", [](Tensor x) { return torch::log_sigmoid(x); }},
      {"flip", [](Tensor x) { return torch::flip(x, {3}); }},
      {"roll", [](Tensor x) { return torch::roll(x, {1, 1}, {2, 3}); }},
      {"softmax", [](Tensor x) { return torch::softmax(x, 1); }},
      {"x - logsumexp", [](Tensor x) { return x - torch::logsumexp(x, {1}, true); }},
      {"x - amax", [](Tensor x) { return x - x.amax({1}, true); }},
      {"where", [](Tensor x) { return torch::where(x > 0, x, x * 0.2); }},
      {"in place", [](Tensor x) { return (x * 2).sub_(0.3).clamp_(-2, 2); }},
      {"attention", [](Tensor x) {
         const Tensor pixels = x.flatten(2);  // [N, C, P]
         const Tensor scores = torch::softmax(torch::matmul(pixels.transpose(1, 2), pixels), -1);
         return torch::matmul(pixels, scores.transpose(1, 2)).view(x.sizes());
       }}});
  return {text, in, forward};
}

RandomLayer draw_prelu(Draft& draft, const ImageShape& in) {
  const Tensor weight = parameter(draft, "prelu", {in.channels});
  return {"prelu", in, [weight](Tensor x) { return torch::prelu(x, weight); }};
}

RandomLayer draw_group_norm(Draft& draft, const ImageShape& in) {
  if (in.channels < 3) return draw_prelu(draft, in);  // it would take back the bias before it
  const std::int64_t groups = in.channels % 8 == 0 ? 2 : 1;
  const Tensor weight = parameter(draft, "scale", {in.channels});
  const Tensor bias = parameter(draft, "shift", {in.channels});
  return {fmt::format("group norm {}", groups), in,
          [=](Tensor x) { return torch::group_norm(x, groups, weight, bias, 1e-2); }};
}

RandomLayer draw_transposed_convolution(Draft& draft, const ImageShape& in) {
  const std::int64_t channels = draft.channels();
  const Tensor weight = parameter(draft, "transposed", {in.channels, channels, 2, 2});
  return {fmt::format("transposed convolution {}", channels),
          {channels, in.height + 1, in.width + 1},
          [weight](Tensor x) { return torch::conv_transpose2d(x, weight); }};
}

/// Halves of the channels; two results of one operator.
RandomLayer draw_gate(Draft& draft, const ImageShape& in) {
  if (in.channels % 2 != 0) return draw_prelu(draft, in);
  return {"gate", {in.channels / 2, in.height, in.width}, [](Tensor x) {
            const auto halves = x.chunk(2, 1);
            return halves[0] * torch::sigmoid(halves[1]);
          }};
}

RandomLayer draw_shuffle(Draft& draft, const ImageShape& in) {
  if (in.channels % 2 != 0) return draw_function(draft, in);
  return {"channel shuffle", in, [](Tensor x) {
            const auto n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
            return x.view({n, 2, c / 2, h, w}).transpose(1, 2).contiguous().view({n, c, h, w});
          }};
}

/// Images joined with their pixels, as windows of attention are.
RandomLayer draw_windows(Draft& draft, const ImageShape& in) {
  if (in.width % 2 != 0) return draw_shuffle(draft, in);
  return {"windows", in, [](Tensor x) {
            const auto n = x.size(0), c = x.size(1), h = x.size(2), w = x.size(3);
            const Tensor parts = x.view({n, c, h, w / 2, 2}).permute({0, 3, 1, 2, 4});
            const Tensor joined = parts.reshape({n * (w / 2), c, h, 2});
            const Tensor changed = joined * torch::sigmoid(joined.mean({2, 3}, true));
            return changed.view({n, w / 2, c, h, 2}).permute({0, 2, 3, 1, 4}).reshape({n, c, h, w});
          }};
}

RandomLayer draw_larger(Draft& draft, const ImageShape& in) {
  const ImageShape to{in.channels, in.height + 1, in.width + 2};
  const auto enlarge = draft.pick(std::initializer_list<std::function<Tensor(Tensor)>>{
      [to](Tensor x) {
        return torch::upsample_nearest2d(x, {to.height, to.width});
      },
      [to](Tensor x) {
        return torch::upsample_bilinear2d(x, {to.height, to.width}, false);
      },
      [](Tensor x) {
        return torch::constant_pad_nd(x, {2, 0, 0, 1}, 0.5);
      },
      [](Tensor x) {
        return torch::cat({torch::cat({x, x.narrow(2, 0, 1)}, 2).narrow(3, 0, 1),
                           torch::constant_pad_nd(x, {1, 0, 1, 0}, 0)},
                          3);
      }});
  return {"larger " + to.str(), to, enlarge};
}

}  // namespace

RandomLayer draw_other(Draft& draft, const ImageShape& in) {
  using DrawLayer = RandomLayer (*)(Draft&, const ImageShape&);
  const auto draw = draft.pick(std::initializer_list<DrawLayer>{
      draw_function, draw_function, draw_function, draw_prelu, draw_group_norm,
      draw_transposed_convolution, draw_gate, draw_shuffle, draw_windows, draw_larger});
  return draw(draft, in);
}

}  // namespace yoke::test

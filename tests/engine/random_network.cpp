#include "tests/engine/random_network.h"

#include <fmt/format.h>
#include <torch/utils.h>

#include "tests/engine/random_layers.h"

namespace yoke::test {
namespace {

using torch::Tensor;

/// How a network's blocks are drawn.
struct Blocks {
  Draft draft;
  Norms norms;

  bool may_normalise(const ImageShape& shape) const {
    constexpr std::int64_t kFewPixels = 6;
    return norms == Norms::kAny ||
           (norms == Norms::kOfPixels && shape.height * shape.width >= kFewPixels);
  }
  bool bias() { return draft.chance(0.5); }
};

/// What draws a convolution or linear layer.
using DrawMatrixLayer = std::function<RandomLayer(bool bias)>;

/// Whether the layer drawn last has several weights per result: the gradient of a single one
/// before batch norm is zero, as is that of a bias, and what comes out is rounding alone.
bool has_several_weights(Draft& draft) {
  const Tensor weight = draft.module.parameters().back();
  return weight.numel() > weight.size(0);
}

/// Perhaps with batch norm, perhaps with an activation.
RandomLayer finished(Blocks& blocks, const DrawMatrixLayer& draw, bool flat) {
  Draft& draft = blocks.draft;
  const bool normalise = blocks.norms != Norms::kNone && draft.chance(0.5);
  RandomLayer layer = draw(!normalise && blocks.bias());
  if (normalise && blocks.may_normalise(layer.shape) && has_several_weights(draft)) {
    layer = chain(layer, draw_batch_norm(draft, layer.shape, flat));
  }
  if (draft.chance(0.2)) {
    return chain(layer, {"relu in place", layer.shape, [](Tensor x) { return x.relu_(); }});
  }
  return draft.chance(0.6) ? chain(layer, draw_activation(draft, layer.shape)) : layer;
}

RandomLayer convolution(Blocks& blocks, const ImageShape& in) {
  return finished(
      blocks, [&](bool bias) { return draw_convolution(blocks.draft, in, bias); }, false);
}

/// A convolution that keeps height and width.
RandomLayer branch(Blocks& blocks, const ImageShape& in) {
  const std::int64_t channels = blocks.draft.channels();
  return finished(
      blocks, [&](bool bias) { return draw_same_convolution(blocks.draft, in, channels, bias); },
      false);
}

RandomLayer pool(Blocks& blocks, const ImageShape& in) {
  const auto draw =
      blocks.draft.pick(std::initializer_list<RandomLayer (*)(Draft&, const ImageShape&)>{
          draw_max_pool, draw_max_pool, draw_average_pool, draw_average_pool, draw_adaptive_pool});
  const RandomLayer layer = draw(blocks.draft, in);
  return blocks.draft.chance(0.3) ? chain(layer, draw_activation(blocks.draft, layer.shape))
                                  : layer;
}

RandomLayer activation(Blocks& blocks, const ImageShape& in) {
  return draw_activation(blocks.draft, in);
}

/// Sums and products of equal shapes; a value may be read three times.
RandomLayer join(Draft& draft, const RandomLayer& branch) {
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

RandomLayer residual(Blocks& blocks, const ImageShape& in) {
  Draft& draft = blocks.draft;
  const RandomLayer first = branch(blocks, in);
  return join(draft,
              chain(first, draw_same_convolution(draft, first.shape, in.channels, blocks.bias())));
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

RandomLayer broadcast(Blocks& blocks, const ImageShape& in) {
  const RandomLayer numbers = channel_numbers(blocks.draft, in, blocks.bias());
  const auto [text, forward] =
      blocks.draft.pick(std::initializer_list<std::pair<const char*, Tensor (*)(Tensor, Tensor)>>{
          {"x * sigmoid(s)", [](Tensor x, Tensor s) { return x * torch::sigmoid(s); }},
          {"sigmoid(s) * x", [](Tensor x, Tensor s) { return torch::sigmoid(s) * x; }},
          {"relu(x + s)", [](Tensor x, Tensor s) { return torch::relu(x + s); }},
          {"s + x", [](Tensor x, Tensor s) { return s + x; }}});
  return {fmt::format("({}, s: {})", text, numbers.text), in,
          [numbers, forward](Tensor x) { return forward(x, numbers.forward(x)); }};
}

RandomLayer concatenation(Blocks& blocks, const ImageShape& in) {
  Draft& draft = blocks.draft;
  std::vector<RandomLayer> parts;
  if (draft.chance(0.6)) parts.push_back({"x", in, [](Tensor x) { return x; }});
  const RandomLayer pool{"max pool", in, [](Tensor x) { return torch::max_pool2d(x, 3, 1, 1); }};
  if (draft.chance(0.3)) parts.push_back(pool);
  while (parts.size() < 2 || (parts.size() < 3 && draft.chance(0.5))) {
    parts.push_back(branch(blocks, in));
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

RandomLayer rearrangement(Blocks& blocks, const ImageShape& in) {
  const auto& [channels, height, width] = in;
  const ImageShape turned{width, channels, height}, merged{channels * height, 1, width};
  return blocks.draft.pick(std::initializer_list<RandomLayer>{
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

RandomLayer flatten(Blocks& blocks, const ImageShape& in) {
  const ImageShape flat{in.elements(), 1, 1};
  return blocks.draft.pick(
      std::initializer_list<RandomLayer>{{"flatten", flat, [](Tensor x) { return x.flatten(1); }},
                                         {"view", flat,
                                          [flat](Tensor x) {
                                            return x.view({-1, flat.channels});
                                          }},
                                         {"reshape", flat, [flat](Tensor x) {
                                            return x.reshape({-1, flat.channels});
                                          }}});
}

RandomLayer linear(Blocks& blocks, const ImageShape& in) {
  const std::int64_t features = blocks.draft.channels();
  return finished(
      blocks, [&](bool bias) { return draw_linear(blocks.draft, in, features, bias); }, true);
}

RandomLayer linear_residual(Blocks& blocks, const ImageShape& in) {
  const RandomLayer first = linear(blocks, in);
  return chain(first, join(blocks.draft, draw_linear(blocks.draft, first.shape,
                                                     first.shape.channels, blocks.bias())));
}

RandomLayer linear_concatenation(Blocks& blocks, const ImageShape& in) {
  const RandomLayer a = linear(blocks, in), b = linear(blocks, in);
  return {fmt::format("cat({}; {})", a.text, b.text),
          {a.shape.channels + b.shape.channels, 1, 1},
          [a, b](Tensor x) {
            return torch::cat({a.forward(x), b.forward(x)}, -1);
          }};
}

/// From features back to an image and to features again.
RandomLayer image_between(Blocks& blocks, const ImageShape& in) {
  const ImageShape image{blocks.draft.channels(), blocks.draft.between(1, 3),
                         blocks.draft.between(2, 3)};
  const RandomLayer view{"view " + image.str(), image, [image](Tensor x) {
                           return x.view({-1, image.channels, image.height, image.width});
                         }};
  const RandomLayer layer = convolution(blocks, image);
  return chain(chain(draw_linear(blocks.draft, in, image.elements(), blocks.bias()), view),
               chain(layer, flatten(blocks, layer.shape)));
}

RandomLayer scores(Blocks& blocks, const ImageShape& in) {
  constexpr std::int64_t kClasses = 10;
  const RandomLayer last = draw_linear(blocks.draft, in, kClasses, blocks.bias());
  return blocks.draft.pick(std::initializer_list<RandomLayer>{
      last, last,
      chain(last, {"softmax", last.shape, [](Tensor x) { return torch::softmax(x, 1); }}),
      chain(last,
            {"log softmax", last.shape, [](Tensor x) { return torch::log_softmax(x, -1); }})});
}

RandomLayer draw_layers(Blocks& blocks, const ImageShape& input) {
  using DrawBlock = RandomLayer (*)(Blocks&, const ImageShape&);
  Draft& draft = blocks.draft;
  RandomLayer network{"image " + input.str(), input, [](Tensor x) { return x; }};
  const auto append = [&](DrawBlock draw) {
    network = chain(network, draw(blocks, network.shape));
  };
  for (std::int64_t i = draft.between(1, 4); i > 0; --i) {
    append(draft.pick(std::initializer_list<DrawBlock>{convolution, convolution, convolution, pool,
                                                       pool, activation, residual, residual,
                                                       broadcast, concatenation, rearrangement}));
  }
  append(flatten);
  for (std::int64_t i = draft.between(0, 2); i > 0; --i) {
    append(draft.pick(std::initializer_list<DrawBlock>{linear, linear, linear_residual,
                                                       linear_concatenation, image_between}));
  }
  append(scores);
  return network;
}

/// Bias and scale start at 0 and 1, with which much would go unseen.
void shake(torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : module.parameters()) parameter.add_(torch::randn_like(parameter), 0.1);
}

}  // namespace

RandomNetwork draw_network(std::uint64_t seed, Norms norms) {
  torch::manual_seed(seed);
  const auto module = std::make_shared<torch::nn::Module>();
  Blocks blocks{Draft(seed, *module), norms};
  const ImageShape input{blocks.draft.between(1, 4), blocks.draft.between(5, 14),
                         blocks.draft.between(5, 12)};
  const RandomLayer layers = draw_layers(blocks, input);
  shake(*module);
  return {{.module = module, .forward = layers.forward, .input = input}, layers.text};
}

}  // namespace yoke::test

#include "tests/engine/random_network.h"

#include <torch/utils.h>

#include "tests/engine/random_blocks.h"

namespace yoke::test {
namespace {

using torch::Tensor;

constexpr std::int64_t kClasses = 10;

/// Of a linear layer, or the pixels of an image.
RandomLayer draw_logits(Draft& draft, const ImageShape& in) {
  RandomLayer last = draw_linear(draft, in, kClasses, draft.chance(0.5));
  if (draft.chance(0.8)) return last;
  const ImageShape image{kClasses / 2, 1, 2};
  const RandomLayer view{"view " + image.str(), image, [](Tensor x) {
                           return x.view({-1, kClasses / 2, 1, 2});
                         }};
  return chain(chain(last, view), chain(draw_activation(draft, image), draw_flatten(draft, image)));
}

RandomLayer draw_scores(Draft& draft, const ImageShape& in) {
  const RandomLayer logits = draw_logits(draft, in);
  const RandomLayer softmax{
      "softmax", {kClasses, 1, 1}, [](Tensor x) { return torch::softmax(x, 1); }};
  const RandomLayer logarithm{
      "log softmax", {kClasses, 1, 1}, [](Tensor x) { return torch::log_softmax(x, -1); }};
  return draft.pick(std::initializer_list<RandomLayer>{logits, logits, chain(logits, softmax),
                                                       chain(logits, logarithm)});
}

RandomLayer draw_layers(Draft& draft, const ImageShape& input, bool others) {
  RandomLayer network{"image " + input.str(), input, [](Tensor x) { return x; }};
  const auto append = [&](auto draw) { network = chain(network, draw(draft, network.shape)); };
  for (std::int64_t i = draft.between(1, 4); i > 0; --i) {
    append(draw_image_block);
    if (others) append(draw_other);
  }
  append(draw_flatten);
  for (std::int64_t i = draft.between(0, 2); i > 0; --i) append(draw_feature_block);
  append(draw_scores);
  return network;
}

/// Bias and scale start at 0 and 1, with which much would go unseen.
void shake(torch::nn::Module& module) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : module.parameters()) parameter.add_(torch::randn_like(parameter), 0.1);
}

}  // namespace

RandomNetwork draw_network(std::uint64_t seed, Norms norms, bool others) {
  torch::manual_seed(seed);
  const auto module = std::make_shared<torch::nn::Module>();
  Draft draft(seed, norms, *module);
  const ImageShape input{draft.between(1, 4), draft.between(5, 14), draft.between(5, 12)};
  const RandomLayer layers = draw_layers(draft, input, others);
  shake(*module);
  return {{.module = module, .forward = layers.forward, .input = input}, layers.text};
}

}  // namespace yoke::test

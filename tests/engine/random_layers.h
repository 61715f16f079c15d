// tests/engine/random_layers.h: single layers drawn at random, of odd sizes.
#pragma once
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "yoke/core/image_shape.h"
#include "yoke/core/random.h"

namespace yoke::test {

/// What a layer is, the shape of its result, [F, 1, 1] for features, and how it is computed.
struct RandomLayer {
  std::string text;
  ImageShape shape;
  std::function<torch::Tensor(torch::Tensor)> forward;
};

/// `second` of the result of `first`.
RandomLayer chain(const RandomLayer& first, const RandomLayer& second);

/// Where layers are drawn from and where their parameters go.
class Draft {
 public:
  Draft(std::uint64_t seed, torch::nn::Module& module)
      : module(module), random_(seed, 0, 0, Purpose::kTest) {}

  bool chance(double probability) { return random_.uniform() < probability; }
  /// In [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  template <typename List>
  auto pick(const List& list) {
    return *(std::begin(list) + between(0, static_cast<std::int64_t>(std::size(list)) - 1));
  }
  /// A number of channels that is odd in one way or the other.
  std::int64_t channels() {
    return pick(std::initializer_list<std::int64_t>{1, 3, 7, 16, 17, 33, 32, 48, 64, 80});
  }
  /// A name for the next module.
  std::string name(const std::string& kind) { return fmt::format("{}{}", kind, modules_++); }

  torch::nn::Module& module;

 private:
  RandomStream random_;
  int modules_ = 0;
};

// Of images, [N, C, H, W]. Each draws its options; the result has at least one pixel.
RandomLayer draw_convolution(Draft& draft, const ImageShape& in, bool bias);
/// Keeps height and width.
RandomLayer draw_same_convolution(Draft& draft, const ImageShape& in, std::int64_t channels,
                                  bool bias);
RandomLayer draw_max_pool(Draft& draft, const ImageShape& in);
RandomLayer draw_average_pool(Draft& draft, const ImageShape& in);
RandomLayer draw_adaptive_pool(Draft& draft, const ImageShape& in);

// Of features, [N, F].
RandomLayer draw_linear(Draft& draft, const ImageShape& in, std::int64_t features, bool bias);

// Of both.
RandomLayer draw_activation(Draft& draft, const ImageShape& in);
RandomLayer draw_batch_norm(Draft& draft, const ImageShape& in, bool flat);

}  // namespace yoke::test

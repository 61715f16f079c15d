// tests/engine/random_layers.h: single layers drawn at random, of odd sizes.
#pragma once
#include <fmt/format.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "tests/engine/draw.h"
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

/// Which batch norm layers a network may have.
enum class Norms {
  kNone,
  kOfPixels,  ///< Of images of several pixels, so that a batch of one image will do.
  kAny
};

/// Where layers are drawn from and where their parameters go.
class Draft {
 public:
  Draft(std::uint64_t seed, Norms norms, torch::nn::Module& module)
      : module(module), norms_(norms), random_(seed, 0, 0, Purpose::kTest) {}

  bool chance(double probability) { return random_.uniform() < probability; }
  /// In [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return draw_between(random_, least, most);
  }
  template <typename List>
  auto pick(const List& list) {
    return *(std::begin(list) + between(0, static_cast<std::int64_t>(std::size(list)) - 1));
  }
  /// A number of channels that is odd in one way or the other.
  std::int64_t channels() {
    return pick(std::initializer_list<std::int64_t>{1, 3, 5, 7, 8, 16, 17, 32, 33, 48});
  }
  /// Whether any layer may be followed by batch norm; whether one whose result is `shape` may.
  bool may_normalise() const { return norms_ != Norms::kNone; }
  bool may_normalise(const ImageShape& shape) const {
    constexpr std::int64_t kFewPixels = 6;
    return norms_ == Norms::kAny ||
           (norms_ == Norms::kOfPixels && shape.height * shape.width >= kFewPixels);
  }
  /// A name for the next module.
  std::string name(const std::string& kind) { return fmt::format("{}{}", kind, modules_++); }

  torch::nn::Module& module;

 private:
  Norms norms_;
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

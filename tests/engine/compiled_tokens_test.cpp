// tests/engine/compiled_tokens_test.cpp: layers whose channels come last in LibTorch: layer norm,
// linear layers of pixels, attention, and what transformers and ConvNeXt have around them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

using Forward = std::function<Tensor(Tensor)>;
using Build = std::function<Forward(torch::nn::Module&)>;

std::function<Model()> model_with(const Build& build) {
  return [build] { return model_of({3, 6, 7}, build); };
}

void compare(const Build& build) { compare_throughout(model_with(build)); }

Tensor drawn(torch::nn::Module& module, const std::string& name, std::vector<std::int64_t> shape) {
  return module.register_parameter(name, torch::randn(shape) * 0.5 + 0.2);
}

TEST(CompiledTokens, NormalisesTheChannelsOfPixels) {
  compare([](torch::nn::Module& module) -> Forward {
    auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 24, 3).padding(1)));
    auto fc = module.register_module("fc", Linear(24, 10));
    const auto weight = drawn(module, "weight", {24}), bias = drawn(module, "bias", {24});
    return [=](Tensor x) mutable {
      x = conv->forward(x).permute({0, 2, 3, 1});
      x = torch::layer_norm(x, {24}, weight, bias, 1e-6).permute({0, 3, 1, 2});
      return fc->forward(torch::adaptive_avg_pool2d(torch::relu(x), {1, 1}).flatten(1));
    };
  });
}

/// A block of ConvNeXt as torchvision has it, or `as_published`: scaled before channels come first
/// again, the scale before what it scales.
Build convnext_block(bool as_published) {
  return [as_published](torch::nn::Module& module) -> Forward {
    auto stem = module.register_module("stem", Conv2d(Conv2dOptions(3, 16, 1)));
    auto depthwise =
        module.register_module("depthwise", Conv2d(Conv2dOptions(16, 16, 7).padding(3).groups(16)));
    auto widen = module.register_module("widen", Linear(16, 64));
    auto narrow = module.register_module("narrow", Linear(64, 16));
    auto fc = module.register_module("fc", Linear(16, 10));
    const auto weight = drawn(module, "weight", {16}), bias = drawn(module, "bias", {16}),
               scale = drawn(module, "scale",
                             as_published ? std::vector<std::int64_t>{16}
                                          : std::vector<std::int64_t>{16, 1, 1});
    const auto norm = [=](const Tensor& x) { return torch::layer_norm(x, {16}, weight, bias); };
    return [=](Tensor x) mutable {
      x = stem->forward(x);
      Tensor branch = norm(depthwise->forward(x).permute({0, 2, 3, 1}));
      branch = narrow->forward(torch::gelu(widen->forward(branch)));
      if (as_published) branch = scale * branch;
      branch = branch.permute({0, 3, 1, 2});
      x = x + (as_published ? branch : branch * scale);
      x = torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
      return fc->forward(norm(x));
    };
  };
}

TEST(CompiledTokens, RunsABlockOfConvnext) {
  for (const bool as_published : {false, true}) {
    const Build block = convnext_block(as_published);
    compare(block);
    EXPECT_THAT(Compiled{model_with(block)()}.engine->describe(8),
                testing::Not(testing::HasSubstr("LibTorch")));
  }
}

/// A linear layer whose result is read with its bias and without it.
TEST(CompiledTokens, AddsAParameterThatIsNoBias) {
  compare([](torch::nn::Module& module) -> Forward {
    auto fc = module.register_module("fc", Linear(torch::nn::LinearOptions(3, 10).bias(false)));
    const auto added = drawn(module, "added", {10});
    return [=](Tensor x) mutable {
      const Tensor scores = fc->forward(x.permute({0, 2, 3, 1}));
      return ((added + scores) * scores).mean({1, 2});
    };
  });
}

TEST(CompiledTokens, SquashesByAHardSigmoid) {
  compare([](torch::nn::Module& module) -> Forward {
    auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 10, 3)));
    return [=](Tensor x) mutable {
      x = conv->forward(x * 4);
      x = x * torch::hardsigmoid(torch::adaptive_avg_pool2d(x, {1, 1}));
      return torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1);
    };
  });
}

TEST(CompiledTokens, TakesMeansOverPixels) {
  for (const bool last : {false, true}) {
    compare([last](torch::nn::Module& module) -> Forward {
      auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 16, 3)));
      auto fc = module.register_module("fc", Linear(16, 10));
      return [=](Tensor x) mutable {
        x = torch::relu(conv->forward(x));
        x = last ? x.permute({0, 2, 3, 1}).mean({1, 2}) : x * x.mean({-1, 2}, /*keepdim=*/true);
        return fc->forward(last ? x : x.flatten(2).permute({0, 2, 1}).mean(1));
      };
    });
  }
}

/// `f` of an image, before a linear layer.
Build before_linear(std::int64_t features, const std::function<Tensor(Tensor)>& f) {
  return [=](torch::nn::Module& module) -> Forward {
    auto fc = module.register_module("fc", Linear(features, 10));
    return [=](Tensor x) mutable { return fc->forward(f(x)); };
  };
}

TEST(CompiledTokens, LeavesOtherOrdersOfDimensionsToLibTorch) {
  const std::vector<std::function<Tensor(Tensor)>> others = {
      [](Tensor x) {
        return x.permute({0, 3, 2, 1}).flatten(1);
      },
      [](Tensor x) {
        return x.permute({0, 2, 3, 1}).flatten(1);
      },
      [](Tensor x) {
        return torch::relu(x.permute({0, 2, 3, 1})).flatten(1);
      },
      [](Tensor x) {
        return (x.flatten(2).permute({0, 2, 1}) + x.flatten(2).view({-1, 42, 3})).flatten(1);
      },
      [](Tensor x) { return x.flatten(2).unsqueeze(3).squeeze(3).flatten(1); },
      [](Tensor x) { return x.transpose(2, 3).flatten(1); },
      [](Tensor x) { return (x - x.mean({1}, true)).flatten(1); }};
  for (const auto& f : others) compare(before_linear(126, f));
  compare(before_linear(42, [](Tensor x) { return x.flatten(2).select(1, 1); }));
}

TEST(CompiledTokens, LeavesThirdsThatAreNoAttentionToLibTorch) {
  compare(before_linear(42, [](Tensor x) {
    const auto parts = x.flatten(2).permute({0, 2, 1}).chunk(3, -1);
    return (parts[0] * parts[1] + parts[2]).flatten(1);
  }));
}

TEST(CompiledTokens, RefusesMeansOverImages) {
  for (const auto& f : std::initializer_list<std::function<Tensor(Tensor)>>{
           [](Tensor x) { return (x - x.mean({1})).flatten(1); },
           [](Tensor x) { return (x + x.mean()).flatten(1); }}) {
    EXPECT_THAT([&] { Compiled{model_with(before_linear(126, f))()}; },
                testing::ThrowsMessage<UnsupportedModel>(testing::HasSubstr("aten::mean")));
  }
}

}  // namespace
}  // namespace yoke::test

// tests/engine/compiled_attention_test.cpp: attention, in the ways in which it is written.
#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <cmath>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"

namespace yoke::test {
namespace {

using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear, torch::nn::LinearOptions;

constexpr std::int64_t kWidth = 24, kHeads = 3, kOfHead = kWidth / kHeads;

/// What mixes tokens [N, P, kWidth].
using Mix = std::function<Tensor(Tensor)>;
using MakeMix = std::function<Mix(torch::nn::Module&)>;

/// A vision transformer of one block: a class token, positions, attention, and of that the token.
std::function<Model()> transformer(const MakeMix& make_mix) {
  return [make_mix] {
    return model_of({3, 6, 7}, [&](torch::nn::Module& module) {
      auto patches =
          module.register_module("patches", Conv2d(Conv2dOptions(3, kWidth, 2).stride(2)));
      auto out = module.register_module("out", Linear(kWidth, kWidth));
      auto fc = module.register_module("fc", Linear(kWidth, 10));
      const auto drawn = [&](const std::string& name, std::vector<std::int64_t> sizes) {
        return module.register_parameter(name, torch::randn(sizes) * 0.5 + 0.2);
      };
      const Tensor token = drawn("token", {1, 1, kWidth}),
                   positions = drawn("positions", {1, 10, kWidth}),
                   scale = drawn("scale", {kWidth});
      const Mix mix = make_mix(module);
      return [=](Tensor x) mutable {
        x = patches->forward(x).flatten(2).transpose(1, 2);
        x = positions + torch::cat({token.expand({x.size(0), -1, -1}), x}, 1);
        x = x + out->forward(mix(x)) * scale;
        return fc->forward(x.slice(0).select(1, 0));
      };
    });
  };
}

Tensor by_products(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = torch::matmul(q, k.transpose(-2, -1)) * std::pow(kOfHead, -0.5);
  return torch::matmul(torch::softmax(scores, -1), v).transpose(1, 2).flatten(2);
}

/// Queries, keys and values of one linear layer, `separate` to heads [N, heads, P, D / heads].
MakeMix by_one_layer(const std::function<std::array<Tensor, 3>(const Tensor&)>& separate) {
  return [=](torch::nn::Module& module) -> Mix {
    auto all = module.register_module("all", Linear(kWidth, 3 * kWidth));
    return [=](const Tensor& x) mutable {
      const auto [q, k, v] = separate(all->forward(x));
      return by_products(q, k, v);
    };
  };
}

/// Of the list of three.
std::array<Tensor, 3> three(const std::vector<Tensor>& of) {
  return {of.at(0), of.at(1), of.at(2)};
}

Tensor heads_of(const Tensor& x, std::int64_t heads = kHeads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

std::array<Tensor, 3> heads_of_each(const std::vector<Tensor>& of) {
  return {heads_of(of.at(0)), heads_of(of.at(1)), heads_of(of.at(2))};
}

/// As in timm.
Tensor split(const Tensor& x) {
  return x.reshape({x.size(0), x.size(1), 3, kHeads, kOfHead}).permute({2, 0, 3, 1, 4});
}

/// As in torchvision, scores divided or queries scaled.
MakeMix of_heads(std::int64_t heads, bool by_division) {
  return [=](torch::nn::Module& module) -> Mix {
    auto all = module.register_module("all", Linear(kWidth, 3 * kWidth));
    const double root = std::sqrt(static_cast<double>(kWidth) / static_cast<double>(heads));
    return [=](const Tensor& x) mutable {
      const auto parts = all->forward(x).chunk(3, -1);
      const Tensor q = heads_of(parts[0], heads), k = heads_of(parts[1], heads),
                   v = heads_of(parts[2], heads);
      const Tensor scores = by_division ? torch::matmul(q, k.transpose(-2, -1)) / root
                                        : torch::matmul(q * (1 / root), k.transpose(2, 3));
      const Tensor mixed = torch::matmul(torch::softmax(scores, -1), v).transpose(1, 2);
      return mixed.reshape(x.sizes());
    };
  };
}

/// Queries, keys and values by a layer each.
Mix by_three_layers(torch::nn::Module& module) {
  auto queries = module.register_module("queries", Linear(kWidth, kWidth));
  // What a bias of keys adds to all scores of a query, the softmax takes back.
  auto keys = module.register_module("keys", Linear(LinearOptions(kWidth, kWidth).bias(false)));
  auto values = module.register_module("values", Linear(kWidth, kWidth));
  return [=](const Tensor& x) mutable {
    return by_products(heads_of(queries->forward(x)), heads_of(keys->forward(x)),
                       heads_of(values->forward(x)));
  };
}

/// LibTorch 2 has it in one operator, whose schema grows from version to version.
const auto& one_operator() {
  static const auto found =
      c10::Dispatcher::singleton().findSchema({"aten::scaled_dot_product_attention", ""});
  return found;
}

Tensor by_one_operator(const Tensor& q, const Tensor& k, const Tensor& v) {
  torch::jit::Stack stack = {q, k, v};
  const auto& arguments = one_operator()->schema().arguments();
  for (std::size_t i = stack.size(); i < arguments.size(); ++i) {
    stack.push_back(arguments[i].default_value().value());
  }
  one_operator()->callBoxed(&stack);
  return stack.at(0).toTensor();
}

struct Written {
  const char* name;
  MakeMix mix;
};

class CompiledAttention : public testing::TestWithParam<Written> {};

TEST_P(CompiledAttention, IsALayerAndEqualsEager) {
  const auto make = transformer(GetParam().mix);
  EXPECT_THAT(Compiled{make()}.engine->describe(8), testing::Not(testing::HasSubstr("LibTorch")));
  compare_throughout(make);
}

const Written kWritten[] = {
    {"OneHead", of_heads(1, false)},
    {"ManyHeads", of_heads(6, false)},
    {"DividedScores", of_heads(3, true)},
    {"Chunks", by_one_layer([](const Tensor& x) { return heads_of_each(x.chunk(3, 2)); })},
    {"Splits", by_one_layer([](const Tensor& x) { return heads_of_each(x.split(kWidth, -1)); })},
    {"Unbound", by_one_layer([](const Tensor& x) { return three(split(x).unbind(0)); })},
    {"UnboundAndTurned", by_one_layer([](const Tensor& x) {
       const auto parts = x.view({x.size(0), -1, 3, kHeads, kOfHead}).unbind(2);
       return std::array{parts[0].permute({0, 2, 1, 3}), parts[1].transpose(1, 2),
                         parts[2].transpose(-2, -3)};
     })},
    {"Selected", by_one_layer([](const Tensor& x) {
       return std::array{split(x)[0], split(x)[1], split(x)[-1]};
     })},
    {"OtherThirds", by_one_layer([](const Tensor& x) {
       return std::array{split(x)[2], split(x)[0], split(x)[1]};
     })},
    {"ThreeLayers", by_three_layers},
    {"NoLayers", [](torch::nn::Module&) -> Mix {
       return [](const Tensor& x) { return by_products(heads_of(x), heads_of(x), heads_of(x)); };
     }}};

INSTANTIATE_TEST_SUITE_P(AsWritten, CompiledAttention, testing::ValuesIn(kWritten),
                         [](const auto& info) { return info.param.name; });

TEST(CompiledAttentions, AreLayersWhereLibTorchHasOneOperator) {
  if (!one_operator()) GTEST_SKIP() << "this LibTorch has no scaled_dot_product_attention";
  const auto make = transformer([](torch::nn::Module& module) -> Mix {
    auto all = module.register_module("all", Linear(kWidth, 3 * kWidth));
    return [=](const Tensor& x) mutable {
      const auto [q, k, v] = three(split(all->forward(x)).unbind(0));
      return by_one_operator(q, k, v).transpose(1, 2).reshape(x.sizes());
    };
  });
  EXPECT_THAT(Compiled{make()}.engine->describe(8), testing::Not(testing::HasSubstr("LibTorch")));
  compare_throughout(make);
}

/// Values that learn nothing: the pixels themselves.
TEST(CompiledAttentions, MixWhatLearnsNothing) {
  const auto make = [] {
    return model_of({3, 6, 7}, [&](torch::nn::Module& module) {
      auto queries = module.register_module("queries", Linear(3, 3));
      auto keys = module.register_module("keys", Linear(LinearOptions(3, 3).bias(false)));
      auto fc = module.register_module("fc", Linear(3, 10));
      return [=](Tensor x) mutable {
        x = x.flatten(2).permute({0, 2, 1});
        x = by_products(heads_of(queries->forward(x)), heads_of(keys->forward(x)), heads_of(x));
        return fc->forward(torch::relu(x).mean(1));
      };
    });
  };
  EXPECT_THAT(Compiled{make()}.engine->describe(8), testing::Not(testing::HasSubstr("LibTorch")));
  compare_throughout(make);
}

/// One third twice, thirds of two values, and thirds that are no attention.
TEST(CompiledAttentions, AreLeftToLibTorchInOtherForms) {
  const std::vector<MakeMix> others = {
      by_one_layer([](const Tensor& x) {
        return std::array{split(x)[0], split(x)[0], split(x)[1]};
      }),
      [](torch::nn::Module& module) -> Mix {
        auto all = module.register_module("all", Linear(kWidth, 3 * kWidth));
        return [=](const Tensor& x) mutable {
          const auto parts = heads_of_each(all->forward(x).chunk(3, -1));
          return by_products(parts[0], parts[1], heads_of(x));
        };
      },
      [](torch::nn::Module& module) -> Mix {
        auto all = module.register_module("all", Linear(kWidth, 3 * kWidth));
        return [=](const Tensor& x) mutable {
          const auto parts = all->forward(x).chunk(3, -1);
          return parts[0] * parts[1] + parts[2];
        };
      }};
  for (const MakeMix& mix : others) {
    const auto make = transformer(mix);
    EXPECT_THAT(Compiled{make()}.engine->describe(8), testing::HasSubstr("LibTorch"));
    compare_throughout(make);
  }
}

}  // namespace
}  // namespace yoke::test

// tests/engine/compiled_aten_test.cpp: operators that have no layers, which LibTorch computes
// inside the plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <functional>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"
#include "yoke/engine/make_engine.h"

namespace yoke::test {
namespace {

using testing::AllOf, testing::HasSubstr, testing::Not;
using torch::Tensor;
using torch::nn::Conv2d, torch::nn::Conv2dOptions, torch::nn::Linear;

using Function = std::function<Tensor(Tensor)>;

/// `f` of what a convolution makes of an image, and a linear layer after it.
std::function<Model()> around(std::int64_t features, const Function& f) {
  return [=] {
    return model_of({3, 6, 6}, [&](torch::nn::Module& module) {
      auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 4, 3)));  // 4x4x4
      auto linear = module.register_module("linear", Linear(features, 10));
      return [=](Tensor x) mutable { return linear->forward(f(conv->forward(x)).flatten(1)); };
    });
  };
}

std::string description(const Model& model) { return Compiled{model}.engine->describe(8); }

struct Case {
  std::string names;  ///< As the engine says them.
  std::int64_t features;
  Function f;
  bool cancels = false;  ///< See Comparison.
};

void PrintTo(const Case& tried, std::ostream* stream) { *stream << tried.names; }

class ByLibTorch : public testing::TestWithParam<Case> {};

TEST_P(ByLibTorch, EqualsEagerAndIsNamed) {
  const auto make = around(GetParam().features, GetParam().f);
  compare_throughout(make, GetParam().cancels);
  EXPECT_THAT(description(make()), testing::EndsWith("; by LibTorch: " + GetParam().names));
}

INSTANTIATE_TEST_SUITE_P(
    Operators, ByLibTorch,
    testing::Values(Case{"logsumexp", 4,
                         [](Tensor x) {
                           return torch::logsumexp(x, {2, 3});
                         }},
                    Case{"flip", 64, [](Tensor x) { return torch::flip(x, {3}); }},
                    Case{"instance_norm", 64,
                         [](Tensor x) {
                           return torch::instance_norm(x, {}, {}, {}, {}, true, 0.1, 1e-2, false);
                         },
                         /*cancels=*/true},
                    Case{"add", 64, [](Tensor x) { return torch::add(x, x, 2); }},
                    Case{"elu", 64, [](Tensor x) { return torch::elu(x, 1, 2); }},
                    Case{"sub", 64, [](Tensor x) { return x - 2; }},
                    Case{"softmax", 64, [](Tensor x) { return torch::softmax(x, 1); }},
                    Case{"cat", 128,
                         [](Tensor x) {
                           return torch::cat({x, x}, 2);
                         }},
                    Case{"exp", 64, [](Tensor x) { return torch::exp(x); }},
                    Case{"pixel_shuffle", 64, [](Tensor x) { return torch::pixel_shuffle(x, 2); }},
                    Case{"upsample_nearest2d", 256,
                         [](Tensor x) {
                           return torch::upsample_nearest2d(x, {8, 8});
                         }},
                    Case{"clamp_, sub_", 64,
                         [](Tensor x) { return (x * 2).sub_(0.3).clamp_(-1, 1); }},
                    // Nothing of it flows between layers but its ends.
                    Case{"reshape, transpose, view", 64,
                         [](Tensor x) {
                           const auto n = x.size(0);
                           return x.view({n, 2, 2, 4, 4}).transpose(1, 2).reshape({n, 4, 4, 4});
                         }},
                    Case{"chunk", 32,
                         [](Tensor x) {
                           const auto halves = x.chunk(2, 1);
                           return halves[0] * torch::sigmoid(halves[1]);
                         }}),
    [](const auto& info) { return "Case" + std::to_string(info.index); });

TEST(ByLibTorch, GivesParametersTheirGradients) {
  compare_throughout([] {
    return model_of({3, 6, 6}, [](torch::nn::Module& module) {
      auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 4, 3)));
      auto linear = module.register_module("linear", Linear(64, 10));
      const auto slope = module.register_parameter("slope", torch::rand({4}));
      const auto scale = module.register_parameter("scale", torch::rand({4}) + 0.5);
      const auto shift = module.register_parameter("shift", torch::rand({4}));
      return [=](Tensor x) mutable {
        x = torch::prelu(conv->forward(x), slope);
        x = torch::prelu(torch::group_norm(x, 2, scale, shift, 1e-2), slope);  // once more
        return linear->forward(x.flatten(1));
      };
    });
  });
}

TEST(ByLibTorch, ReadsBuffersAsTheyAre) {
  compare_throughout([] {
    return model_of({3, 6, 6}, [](torch::nn::Module& module) {
      auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 4, 3)));
      auto linear = module.register_module("linear", Linear(64, 10));
      const auto mask = module.register_buffer("mask", torch::rand({4, 4, 4}));
      return
          [=](Tensor x) mutable { return linear->forward((conv->forward(x) * mask).flatten(1)); };
    });
  });
}

/// As the mask of windows that are shifted.
TEST(ByLibTorch, FillsMasksPieceByPiece) {
  compare_throughout(around(64, [](Tensor x) {
    const Tensor mask = x.new_zeros({4, 4});
    mask.narrow(0, 0, 2).fill_(1);
    mask.narrow(1, 1, 2).narrow(0, 1, 2).add_(0.5);
    const Tensor other = mask.unsqueeze(0) - 0.25;
    mask.fill_(7);  // later
    return x * other;
  }));
}

/// Three channels are not three images, and what is made of parameters alone leaves alone what is
/// computed until it is read.
TEST(ByLibTorch, ComputesOfParametersWhatItReads) {
  const auto make = [] {
    return model_of({3, 6, 6}, [](torch::nn::Module& module) {
      auto conv = module.register_module("conv", Conv2d(Conv2dOptions(3, 6, 3)));
      auto linear = module.register_module("linear", Linear(96, 10));
      const auto mean = module.register_buffer("mean", torch::rand({3}));
      const auto table = module.register_parameter("table", torch::rand({4, 4}));
      return [=](Tensor x) mutable {
        const Tensor slopes = torch::exp(table);  // read last
        x = torch::relu(conv->forward(x - mean.view({1, 3, 1, 1})));
        return linear->forward((x * slopes).flatten(1));
      };
    });
  };
  compare_throughout(make);
  EXPECT_THAT(description(make()), testing::EndsWith("; by LibTorch: exp, mul, sub, view"));
}

TEST(ByLibTorch, IsWhatFollowsImagesAndGivesScores) {
  compare_throughout([] {
    return model_of({3, 6, 6}, [](torch::nn::Module& module) {
      auto linear = module.register_module("linear", Linear(108, 10));
      return [=](Tensor x) mutable {
        return torch::exp(-linear->forward((x - 0.5).flatten(1)).abs());
      };
    });
  });
}

TEST(ByLibTorch, IsNothingWhereAllCompiles) {
  EXPECT_THAT(description(around(64, [](Tensor x) { return torch::relu(x); })()),
              Not(HasSubstr("LibTorch")));
}

TEST(ByLibTorch, IsNotAllOfAModel) {
  const auto make = [] {
    return model_of({2, 4, 4}, [](torch::nn::Module& module) {
      const auto weight = module.register_parameter("weight", torch::randn({2, 10, 4, 4}));
      return [=](Tensor x) { return torch::conv_transpose2d(x, weight).mean({2, 3}); };
    });
  };
  EXPECT_THAT([&] { Compiled{make()}; },
              testing::ThrowsMessage<UnsupportedModel>(HasSubstr("it is transposed")));
  Model model = make();
  FlatParameters parameters(*model.module);
  EXPECT_EQ(make_engine(model, parameters, {}).kind, EngineKind::kEager);
}

}  // namespace
}  // namespace yoke::test

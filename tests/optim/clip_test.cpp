// tests/optim/clip_test.cpp: the option clip of every optimizer.
#include "yoke/optim/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/sgd.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

#include "tests/optim/python.h"
#include "tests/optim/small_net.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using test::run_small_net;

constexpr int kClippedSteps = 12;
constexpr double kClippedRate = 0.5;

// Prints the loss before each step, then how many gradients were clipped.
constexpr const char* kClipCode = R"(
o = torch.optim.SGD(net.parameters(), lr=0.5, momentum=0.9)
clipped = 0
for step in range(12):
    before = loss()
    clipped += torch.nn.utils.clip_grad_norm_(net.parameters(), 0.3).item() > 0.3
    o.step()
    print('%.9g' % before.item())
print(clipped)
)";

TEST(Clip, EqualsPythons) {
  auto output = test::ask_python(test::kSmallNetInPython + kClipCode);
  if (!output) GTEST_SKIP() << "Python has no torch to compare with";
  const std::vector<double> expected{std::istream_iterator<double>(*output), {}};
  ASSERT_EQ(expected.size(), kClippedSteps + 1) << output->str();
  EXPECT_GT(expected.back(), 0) << "nothing was clipped";
  EXPECT_LT(expected.back(), kClippedSteps) << "everything was clipped";
  const auto run = run_small_net("sgd:momentum=0.9,clip=0.3", kClippedSteps, kClippedRate);
  for (std::size_t i = 0; i < kClippedSteps; ++i) {
    EXPECT_NEAR(run.losses[i], expected[i], 1e-5 * expected[i]) << "step " << i;  // roundings
  }
}

class ClipOf : public testing::TestWithParam<std::string> {};

TEST_P(ClipOf, TakesTheNormOverAllParts) {
  const std::string text = GetParam() + ":clip=0.3";
  const auto whole = run_small_net(text, kClippedSteps, 0.05);
  EXPECT_NE(whole.losses, run_small_net(GetParam(), kClippedSteps, 0.05).losses)
      << "nothing was clipped";
  const auto parts = run_small_net(text, kClippedSteps, 0.05, {17, 17, 60});
  EXPECT_TRUE(torch::allclose(parts.values(), whole.values(), 1e-5, 1e-6))
      << (parts.values() - whole.values()).abs().max();
}

// Adam's step does not depend on the gradient's length but for the change of it.
INSTANTIATE_TEST_SUITE_P(Optimizers, ClipOf,
                         testing::Values("sgd", "adam", "adamw", "lars", "lamb", "muon"),
                         [](const auto& info) { return info.param; });

struct Gradient {
  explicit Gradient(const std::vector<float>& values) : layer(2, 1) {
    parameters.gradients().copy_(torch::tensor(values));
  }
  std::vector<float> clipped(double most) {
    clip_gradient(parameters, most);
    const auto gradient = parameters.gradients();
    return {gradient.data_ptr<float>(), gradient.data_ptr<float>() + gradient.numel()};
  }
  torch::nn::LinearImpl layer;
  FlatParameters parameters{layer};
};

TEST(Clip, ScalesALongGradientAndLeavesAShortOne) {
  using testing::ElementsAre, testing::FloatNear;
  EXPECT_THAT(Gradient({3, 0, -4}).clipped(1),
              ElementsAre(FloatNear(0.6F, 1e-6F), 0, FloatNear(-0.8F, 1e-6F)));
  EXPECT_THAT(Gradient({3, 0, -4}).clipped(5.1), ElementsAre(3, 0, -4));
  EXPECT_THAT(Gradient({0, 0, 0}).clipped(1), ElementsAre(0, 0, 0));
}

TEST(Clip, LetsAGradientThatIsNotFiniteBeSeen) {
  for (const float odd :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_FALSE(std::isfinite(Gradient({1, odd, 1}).clipped(1)[1]));
  }
}

TEST(Clip, RefusesANegativeNorm) {
  torch::nn::LinearImpl layer(2, 1);
  FlatParameters parameters(layer);
  EXPECT_THROW(make_optimizer("sgd:clip=-1", parameters), UsageError);
}

}  // namespace
}  // namespace yoke

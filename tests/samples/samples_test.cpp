// A sample plug-in of each kind, added to the others by one file and one line: those of
// CONTRIBUTING.md and of samples/yoke. The conformance tests meet them here, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/compression.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using testing::HasSubstr;

TEST(SampleModel, IsMadeWithItsOption) {
  const ModelInput input{.image = {1, 28, 28}, .classes = 10};
  const Model model = make_model("small-cnn:channels=4", input, 1);
  EXPECT_EQ(model.module->parameters().front().size(0), 4);
  EXPECT_EQ(make_model("small-cnn", input, 1).module->parameters().front().size(0), 16);
  EXPECT_THAT([&] { make_model("small-cnn:channels=0", input, 1); },
              testing::ThrowsMessage<UsageError>(HasSubstr("a whole number in [1, 4096]")));
}

TEST(SampleModel, TellsItsOption) {
  const auto specs = models().find("small-cnn").plugin.options();
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(specs[0].name, "channels");
  EXPECT_EQ(specs[0].fallback, "16");
  EXPECT_EQ(specs[0].meaning, "of the first convolution");
}

TEST(SampleOptimizer, TakesTheStepOfItsFormula) {
  torch::nn::Linear layer(2, 1);
  FlatParameters parameters(*layer);
  const auto before = parameters.values().clone();
  const auto optimizer = make_optimizer("signum:weight_decay=0.5", parameters);
  optimizer->step(
      [&] {
        parameters.gradients().fill_(-3);
        return torch::zeros({});
      },
      {.lr = 0.1});
  EXPECT_TRUE(torch::allclose(parameters.values(), before * 0.95 + 0.1));
}

TEST(SampleOptimizer, TellsItsOptionsAndThoseOfEveryOptimizer) {
  std::vector<std::string> names;
  for (const auto& spec : optimizers().find("signum").plugin.options()) names.push_back(spec.name);
  EXPECT_THAT(names, testing::ElementsAre("momentum", "weight_decay", "clip", "no_decay"));
  EXPECT_TRUE(optimizers().choose("signum").traits.elementwise);
}

TEST(SampleDataset, DrawsWhatItsOptionsSay) {
  const auto splits =
      make_dataset("stripes:images=6,size=8,train_limit=4", {.data_dir = {}, .seed = 3});
  EXPECT_EQ(splits.train->size(), 4);
  EXPECT_EQ(splits.validation->size(), 6);
  std::vector<std::uint8_t> scratch;
  const auto standing = splits.train->pixels(1, scratch);
  ASSERT_EQ(standing.size(), 64U);
  EXPECT_TRUE(std::equal(standing.begin(), standing.begin() + 8, standing.begin() + 8));
}

TEST(SampleSchedule, RisesToTheRateAndFallsAsOneOverTheRoot) {
  const auto schedule =
      make_schedule("rsqrt:warmup=4", {.lr = 0.2, .total_steps = 100, .epochs = Epochs(10)});
  EXPECT_DOUBLE_EQ(schedule(1).lr, 0.1);
  EXPECT_DOUBLE_EQ(schedule(3).lr, 0.2);
  EXPECT_DOUBLE_EQ(schedule(15).lr, 0.1);
}

TEST(SampleCompression, SumsGradientsNoLargerThanItsLimitByTheSampleCommunicator) {
  test::run_ranks({2, 1}, [](const Group& group) {
    torch::nn::LinearImpl layer(2, 1);
    FlatParameters parameters(layer);
    const auto communicator = make_communicator("delay:milliseconds=1", group);
    const auto compression = make_compression("clamp:limit=0.5", parameters, *communicator);
    parameters.gradients().copy_(torch::tensor({2.0F, -2.0F, 0.25F}));
    compression->start({.begin = 0, .end = 3});
    compression->finish();
    EXPECT_TRUE(parameters.gradients().equal(torch::tensor({1.5F, -1.5F, 0.75F})));
  });
}

TEST(SampleStrategy, IsForecastByItsOwnWord) {
  EXPECT_EQ(plan_strategy("lockstep").kind, forecast::StrategyKind::kAllReduce);
  EXPECT_EQ(plan_communicator("delay").between, "gloo");
}

/// Of those that run, so many have this parameter.
int tests_with(const std::string& name) {
  int found = 0;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const auto& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const auto& test = *suite.GetTestInfo(j);
      const char* parameter = test.value_param();
      const std::string text = std::string(test.name()) + (parameter == nullptr ? "" : parameter);
      if (test.should_run() && text.find('/') != std::string::npos) {
        found += text.find(name) != std::string::npos ? 1 : 0;
      }
    }
  }
  return found;
}

TEST(Samples, AreMetByWhatTestsEveryPluginOfTheirKind) {
  for (const char* name :
       {"small_cnn", "stripes", "signum", "rsqrt", "lockstep", "clamp", "delay"}) {
    EXPECT_GE(tests_with(name), 3) << name;
  }
}

}  // namespace
}  // namespace yoke

// tests/engine/script_model_test.cpp: modules of TorchScript as models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <fstream>

#include "tests/support/script_models.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/flat_parameters.h"
#include "yoke/engine/trace.h"
#include "yoke/models/module_parts.h"

namespace yoke {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const ModelInput kGrey = {.image = {1, 12, 12}, .classes = 10};

class Script : public testing::Test {
 protected:
  std::string choice(const torch::jit::Module& script) const {
    return test::script_choice(script, file_);
  }
  Model conv(const test::ConvScript& chosen = {}) const {
    return make_model(choice(test::conv_script(chosen)), kGrey, 1);
  }
  /// A module of one weight with this `forward`.
  std::string written(const std::string& forward) const {
    const test::ScriptMaker maker;
    auto net = maker.layer("Net", {10, 144});
    net.define(forward);
    return choice(net);
  }
  static std::string refusal(const std::string& text, const ModelInput& input = kGrey) {
    try {
      make_model(text, input, 1);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  }

  test::TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_.path() / "net.ts";
};

TEST_F(Script, KeepsTheNamesOfItsTensors) {
  const Model model = conv();
  EXPECT_THAT(model.module->named_parameters().keys(),
              ElementsAre("conv.weight", "conv.bias", "norm.weight", "norm.bias", "head.fc.weight",
                          "head.fc.bias"));
  EXPECT_THAT(model.module->named_buffers().keys(),
              ElementsAre("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"));
}

TEST_F(Script, ScoresByItsParametersWhereverTheyMove) {
  const Model model = conv();
  model.module->eval();
  const auto images = torch::randn({3, 1, 12, 12});
  auto script = torch::jit::load(file_.string());
  script.eval();
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(torch::equal(model.forward(images), script.forward({images}).toTensor()));
  FlatParameters parameters(*model.module);
  parameters.values().zero_();
  EXPECT_EQ(model.forward(images).abs().max().item<double>(), 0);
}

TEST_F(Script, EachIsACopyOfItsOwn) {
  const Model one = conv(), other = make_model("script:" + file_.string(), kGrey, 2);
  EXPECT_TRUE(torch::equal(one.module->parameters()[0], other.module->parameters()[0]));
  EXPECT_NE(one.module->parameters()[0].data_ptr(), other.module->parameters()[0].data_ptr());
}

TEST_F(Script, TrainsOnlyInTraining) {
  const Model model = conv({.dropout = 0.5});
  const auto images = torch::randn({3, 1, 12, 12});
  const auto count = model.module->named_buffers()["norm.num_batches_tracked"];
  EXPECT_FALSE(torch::equal(model.forward(images), model.forward(images)));
  EXPECT_EQ(count.item<std::int64_t>(), 2);
  model.module->eval();
  EXPECT_TRUE(torch::equal(model.forward(images), model.forward(images)));
  EXPECT_EQ(count.item<std::int64_t>(), 2);
}

TEST_F(Script, FrozenBatchNormKeepsItsStatistics) {
  const Model model = conv();
  freeze(*model.module, "conv+norm");
  model.forward(torch::randn({3, 1, 12, 12}));
  EXPECT_EQ(model.module->named_buffers()["norm.num_batches_tracked"].item<std::int64_t>(), 0);
}

TEST_F(Script, ResizesImagesToItsSize) {
  const std::string text = choice(test::conv_script({}));
  EXPECT_EQ(make_model(text + ",size=20", kGrey, 1).input, (ImageShape{1, 20, 20}));
  EXPECT_EQ(make_model("script:size=20,file=" + file_.string(), kGrey, 1).input.height, 20);
}

TEST_F(Script, CopiesWhatIsAssignedToABuffer) {
  const test::ScriptMaker maker;
  auto net = maker.layer("Net", {10, 144});
  net.register_parameter("count", torch::zeros({}), true);
  net.define(R"(
def forward(self, x):
  self.count = self.count + 1
  return torch.linear(torch.flatten(x, 1), self.weight, self.bias) + 0 * self.count
)");
  const Model model = make_model(choice(net), kGrey, 1);
  const auto before = model.module->buffers()[0].item<double>();
  model.forward(torch::zeros({2, 1, 12, 12}));
  EXPECT_EQ(model.module->buffers()[0].item<double>(), before + 1);
}

TEST_F(Script, SaysWhatAFileIsThatItDoesNotTake) {
  EXPECT_THAT(refusal("script"), HasSubstr("--model script:FILE.ts"));
  EXPECT_THAT(refusal("script:" + file_.string()), HasSubstr("is no file"));
  std::ofstream(file_) << "no archive";
  EXPECT_THAT(refusal("script:" + file_.string()), HasSubstr("no file of TorchScript"));
  torch::save(torch::ones(3), (directory_.path() / "t.pt").string());
  EXPECT_THAT(refusal("script:a,b.ts"), HasSubstr("\\,"));
}

TEST_F(Script, SaysWhichClassesAndImagesItIsFor) {
  const std::string text = choice(test::conv_script({.classes = 1000}));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("[2, 1000]"), HasSubstr("10 classes")));
  EXPECT_THAT(refusal(text, {.image = {3, 12, 12}, .classes = 1000}),
              AllOf(HasSubstr("3x12x12"), HasSubstr("channels"), Not(HasSubstr("\n"))));
}

TEST_F(Script, RefusesForwardsOfOtherTypes) {
  EXPECT_THAT(refusal(written("def forward(self, x):\n  return (x, x)\n")),
              AllOf(HasSubstr("(Tensor, Tensor)"), HasSubstr("one Tensor")));
  EXPECT_THAT(refusal(written("def forward(self, x, y):\n  return x + y\n")),
              HasSubstr("(Tensor, Tensor)"));
}

TEST_F(Script, DoesNotTraceWhatDependsOnNumbersInTensors) {
  const Model model = make_model(written(R"(
def forward(self, x):
  if bool(x.sum() > 0):
    x = -x
  return torch.linear(torch.flatten(x, 1), self.weight, self.bias)
)"),
                                 kGrey, 1);
  EXPECT_THAT(
      [&] {
        trace(model, torch::zeros({2, 1, 12, 12}));
      },
      testing::ThrowsMessage<Error>(HasSubstr("aten::Bool")));
}

}  // namespace
}  // namespace yoke

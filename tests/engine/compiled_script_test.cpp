// tests/engine/compiled_script_test.cpp: modules of TorchScript on the engines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/engine/compare.h"
#include "tests/engine/trained.h"
#include "tests/support/lines.h"
#include "tests/support/script_models.h"
#include "tests/support/support.h"
#include "yoke/engine/make_engine.h"

namespace yoke {
namespace {

const ModelInput kColour = {.image = {3, 13, 11}, .classes = 10};

TEST(CompiledScript, EqualsEager) {
  const test::TemporaryDirectory directory;
  for (const bool norm : {true, false}) {
    const auto text = test::script_choice(test::conv_script({.channels = 3, .batch_norm = norm}),
                                          directory.path() / "net.ts");
    for (const std::int64_t batch : {1, 17}) {
      // A batch norm takes the bias before it away again: its gradient is what rounding leaves.
      test::compare_with_eager([&] { return make_model(text, kColour, 1); },
                               {.batch = batch, .cancels = norm});
    }
  }
}

/// What Python's scripts of torchvision are made of: methods of modules, loops, inner functions.
TEST(CompiledScript, EqualsEagerForTorchvision) {
  const test::TemporaryDirectory directory;
  const auto file = (directory.path() / "net.ts").string();
  const auto result = test::run_python("torchvision", R"(
import sys, torch, torchvision
torch.manual_seed(3)
torch.jit.script(torchvision.models.resnet18(num_classes=10)).save(sys.argv[1])
)",
                                       {file});
  if (!result) GTEST_SKIP() << "torchvision is not installed (Debian: python3-torchvision)";
  ASSERT_EQ(result->status, 0) << result->output;
  test::compare_with_eager(
      [&] {
        return make_model("script:" + file, {{3, 33, 33}, 10}, 1);
      },
      {.batch = 5});
}

/// As people write theirs; none of it is left to LibTorch.
TEST(CompiledScript, CompilesNetworksOfOnesOwn) {
  const test::TemporaryDirectory directory;
  const auto result =
      test::run_python("torch", R"(
import runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
)",
                       {YOKE_SOURCE_DIR "/bench/pytorch/own_models.py", directory.path().string()});
  if (!result) GTEST_SKIP() << "PyTorch is not installed (Debian: python3-torch)";
  ASSERT_EQ(result->status, 0) << result->output;
  std::size_t networks = 0;
  for (const auto& line : test::lines_of(result->output)) {
    std::istringstream written(line);  // vgg-gelu 3x32x32, or a warning of PyTorch
    std::string name;
    ImageShape image;
    char x = 0;
    if (!(written >> name >> image.channels >> x >> image.height >> x >> image.width)) continue;
    SCOPED_TRACE(name);
    const auto make = [&] {
      return make_model("script:" + (directory.path() / (name + ".ts")).string(), {image, 10}, 1);
    };
    EXPECT_THAT(test::Compiled{make()}.engine->describe(8),
                testing::Not(testing::HasSubstr("LibTorch")));
    // Rounds little, so that no ReLU of these many falls on its other side.
    test::compare_with_eager(
        make, {.batch = 3, .convolution = ConvolutionAlgorithm::kDirect, .cancels = true});
    ++networks;
  }
  EXPECT_EQ(networks, 6U);
}

TEST(CompiledScript, IsEagerWhereItsCourseDependsOnNumbersInTensors) {
  const test::TemporaryDirectory directory;
  const test::ScriptMaker maker;
  auto net = maker.layer("Net", {10, 3 * 13 * 11});
  net.define(R"(
def forward(self, x):
  if bool(x.sum() > 0):
    x = -x
  return torch.linear(torch.flatten(x, 1), self.weight, self.bias)
)");
  Model model = make_model(test::script_choice(net, directory.path() / "net.ts"), kColour, 1);
  FlatParameters parameters(*model.module);
  const auto choice = make_engine(model, parameters, {});
  EXPECT_EQ(choice.kind, EngineKind::kEager);
  EXPECT_THAT(choice.note, testing::HasSubstr("aten::Bool"));
}

}  // namespace
}  // namespace yoke

#include "yoke/export/torchscript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>

#include "tests/export/scored_model.h"
#include "tests/support/model_forms.h"
#include "tests/support/support.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t kImages = 5;  // more than a trace sees
// Sums in another order, where batch norms are folded into other weights.
constexpr double kTolerance = 1e-4;
constexpr double kTolerancePerSize = 2e-5;  // of scores that are large: some processors draw them

class TorchScriptOf : public testing::TestWithParam<std::string> {};

TEST_P(TorchScriptOf, ScoresAsTheModelDoes) {
  const test::TemporaryDirectory directory;
  for (const ImageShape image : {ImageShape{3, 32, 32}, ImageShape{1, 28, 28}}) {
    const Model model = test::trained_model(GetParam(), image);
    const auto images = test::noise_images(model, kImages);
    const auto scores = test::scores_of(model, images);
    const double size = scores.abs().max().item<double>();
    const double tolerance = std::max(kTolerance, kTolerancePerSize * size);
    for (const bool fold : {false, true}) {
      const fs::path file = directory.path() / "model.ts";
      write_torchscript(file, model, {.fold_batch_norm = fold, .metadata = {{"yoke", "{}"}}});
      torch::jit::ExtraFilesMap extra = {{"yoke", ""}};
      auto loaded = torch::jit::load(file.string(), torch::kCPU, extra);
      const auto found = test::scores_of(loaded, images);
      EXPECT_LE(test::greatest_difference(found, scores), tolerance) << "folded: " << fold;
      EXPECT_EQ(test::scores_of(loaded, images.slice(0, 0, 1)).size(0), 1);
      EXPECT_EQ(extra.at("yoke"), "{}");
      EXPECT_FALSE(found.requires_grad());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, TorchScriptOf, testing::ValuesIn(test::model_forms()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(TorchScript, KeepsTheNamesOfTheWeights) {
  const test::TemporaryDirectory directory;
  const Model model = test::trained_model("resnet18");
  const fs::path file = directory.path() / "model.ts";
  EXPECT_EQ(write_torchscript(file, model), 0);
  const auto loaded = torch::jit::load(file.string());
  std::map<std::string, torch::Tensor> found;
  for (const auto& item : loaded.named_parameters()) found[item.name] = item.value;
  for (const auto& item : model.module->named_parameters()) {
    ASSERT_TRUE(found.contains(item.key())) << item.key();
    EXPECT_TRUE(torch::equal(found.at(item.key()), item.value())) << item.key();
  }
  std::size_t statistics = 0;
  for (const auto& item : loaded.named_buffers()) {
    if (item.name.find("running_") != std::string::npos) ++statistics;
  }
  EXPECT_EQ(statistics, 2 * 20U);
}

TEST(TorchScript, SaysHowManyBatchNormsWereFolded) {
  const test::TemporaryDirectory directory;
  const fs::path file = directory.path() / "model.ts";
  const auto folded = [&](const std::string& name) {
    return write_torchscript(file, test::trained_model(name), {.fold_batch_norm = true});
  };
  EXPECT_EQ(folded("resnet18"), 20);
  EXPECT_EQ(torch::jit::load(file.string()).buffers().size(), 0U);
  EXPECT_EQ(folded("bn-cnn"), 0) << "a pool is between";
  EXPECT_EQ(folded("mlp"), 0);
}

TEST(TorchScript, LeavesTheModelAsItWas) {
  const test::TemporaryDirectory directory;
  Model model = test::trained_model("resnet9");
  model.module->train();
  const auto norm = model.module->named_modules()["prep.bn"];
  norm->eval();  // frozen
  std::vector<torch::Tensor> before;
  for (const auto& buffer : model.module->buffers()) before.push_back(buffer.clone());
  write_torchscript(directory.path() / "model.ts", model, {.fold_batch_norm = true});
  EXPECT_TRUE(model.module->is_training());
  EXPECT_TRUE(model.module->named_modules()["layer1.first.bn"]->is_training());
  EXPECT_FALSE(norm->is_training());
  const auto after = model.module->buffers();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(before[i], after[i]));
}

/// Every model in one process, since Python takes seconds to load PyTorch.
TEST(TorchScript, PythonScoresAsYokeDoes) {
  const test::TemporaryDirectory directory;
  std::vector<std::string> arguments = {directory.path().string(), fmt::format("{}", kTolerance)};
  for (const auto& form : test::model_forms()) {
    const Model model = test::trained_model(form);
    const std::string name = test::test_name(form);
    const auto images = test::noise_images(model, kImages);
    const fs::path stem = directory.path() / name;
    write_torchscript(stem.string() + ".ts", model,
                      {.fold_batch_norm = true, .metadata = {{"yoke", "{\"model\": 1}"}}});
    test::write_numbers(stem.string() + ".input", images);
    test::write_numbers(stem.string() + ".scores", test::scores_of(model, images));
    const auto& [channels, height, width] = model.input;
    arguments.push_back(fmt::format("{}:{},{},{}", name, channels, height, width));
  }
  const auto result = test::run_python("torch", R"(
import json, sys, torch
for case in sys.argv[3:]:
    name, shape = case.split(':')
    stem = sys.argv[1] + '/' + name
    def numbers(kind, *sizes):
        bytes = bytearray(open(stem + kind, 'rb').read())
        return torch.frombuffer(bytes, dtype=torch.float32).reshape(-1, *sizes)
    extra = {'yoke': ''}
    model = torch.jit.load(stem + '.ts', _extra_files=extra)
    assert json.loads(extra['yoke']) == {'model': 1}
    model.train()
    model.eval()
    scores = model(numbers('.input', *map(int, shape.split(','))))
    off = (scores - numbers('.scores', scores.shape[1])).abs().max().item()
    assert off <= float(sys.argv[2]), (name, off)
    assert sum(p.numel() for p in model.parameters()) > 0
    print(name, off)
print('all alike')
)",
                                       arguments);
  if (!result) GTEST_SKIP() << "Debian's python3-torch is not installed";
  EXPECT_EQ(result->status, 0) << result->output;
  EXPECT_THAT(result->output, HasSubstr("all alike"));
}

}  // namespace
}  // namespace yoke

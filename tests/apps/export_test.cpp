#include "yoke/train/checkpoints/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/import.h>

#include "tests/train/run.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/data/formats/pt.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/checkpoints/open_model.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

NamedTensors example() {
  return {{"weight", torch::arange(6, torch::kFloat32).view({2, 3})},
          {"batches", torch::scalar_tensor(12, torch::kInt64)}};
}

void expect_example(const NamedTensors& found) {
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, "weight");
  EXPECT_TRUE(torch::equal(found[0].second, example()[0].second));
  EXPECT_EQ(found[1].second.item<std::int64_t>(), 12);
}

class ExportCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write_checkpoint(run_ / "checkpoints", {.step = 7,
                                            .model = example(),
                                            .optimizer = {},
                                            .state = {{"config", nlohmann::json::object()}}});
  }
  test::ProgramResult run(const fs::path& output, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"export", run_.string(), "--out", output.string()});
    return test::run_yoke(more);
  }

  test::TemporaryDirectory directory_;
  const fs::path run_ = directory_.path() / "run";
};

TEST_F(ExportCommand, WritesBothFormats) {
  const auto pt = directory_.path() / "model.pt";
  const auto result = run(pt);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("wrote " + pt.string() + ": 2 tensors, 7 numbers"));
  expect_example(read_pt(pt));
  const auto weights = directory_.path() / "weights";
  EXPECT_EQ(run(weights, {"--format", "safetensors"}).status, 0);
  expect_example(read_safetensors(weights));
}

TEST_F(ExportCommand, ReplacesAFileOnlyWhenForced) {
  const auto output = directory_.path() / "model.safetensors";
  write_file(output, "precious");
  const auto refused = run(output);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("exists already"));
  EXPECT_EQ(read_file(output), "precious");
  EXPECT_EQ(run(output, {"--force"}).status, 0);
  expect_example(read_safetensors(output));
}

TEST_F(ExportCommand, RefusesWhatItCannotDo) {
  const auto unknown = run(directory_.path() / "model.zip");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr(".safetensors, .pt, .pth, .ts, .onnx"));
  const auto format = run(directory_.path() / "model.pt", {"--format", "zip"});
  EXPECT_EQ(format.status, 2);
  EXPECT_THAT(format.output, HasSubstr("allowed: safetensors, pt, torchscript, onnx"));
  const auto fold = run(directory_.path() / "model.pt", {"--fold-batch-norm"});
  EXPECT_EQ(fold.status, 2);
  EXPECT_THAT(fold.output, HasSubstr("pt holds weights alone"));
  const auto of_what = run(directory_.path() / "model.onnx");
  EXPECT_EQ(of_what.status, 2);
  EXPECT_THAT(of_what.output, HasSubstr("not of which model and classes"));
  EXPECT_EQ(run(directory_.path() / "missing" / "model.pt").status, 2);
  EXPECT_EQ(run(directory_.path()).status, 2);
  for (const char* const name : {"model.pt", "model.ts"}) {
    const auto nothing = test::run_yoke({"export", "/nowhere", "--output", name});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_THAT(nothing.output, HasSubstr("/nowhere does not exist"));
  }
  EXPECT_EQ(test::count_entries(directory_.path()), 1U) << "nothing but the run";
}

/// Says of itself what the weights do, and scores as they do.
TEST(ExportedModel, HoldsWhatItTakesToUseIt) {
  const test::TemporaryDirectory directory;
  const fs::path run = directory.path() / "run", script = directory.path() / "model.ts",
                 onnx = directory.path() / "model";
  const auto trained = test::run_yoke(test::train_words(
      run,
      "--data glyphs:train=64,validation=16 --model resnet9:width=4 --max-steps 2 "
      "--batch-size 16 --threads 1"));
  ASSERT_EQ(trained.status, 0) << trained.output;
  const auto result = test::run_yoke({"export", run.string(), "-o", script.string()});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("wrote " + script.string() +
                                       ": resnet9:width=4, input [N, "
                                       "1, 28, 28], scores [N, 10], "));
  torch::jit::ExtraFilesMap extra = {{"yoke", ""}, {"classes", ""}};
  auto loaded = torch::jit::load(script.string(), torch::kCPU, extra);
  const auto opened = open_model(run);
  EXPECT_EQ(extra.at("yoke"), read_safetensors_metadata(run / "model.safetensors").at("yoke"));
  EXPECT_EQ(extra.at("classes"), "0\n1\n2\n3\n4\n5\n6\n7\n8\n9");
  const auto images = torch::randn({5, 1, 28, 28});
  opened.model.module->eval();
  EXPECT_TRUE(torch::allclose(loaded.forward({images}).toTensor(), opened.model.forward(images),
                              1e-4, 1e-5));

  const auto folded = test::run_yoke({"export", (run / "model.safetensors").string(), "-o",
                                      onnx.string(), "--format", "onnx", "--fold-batch-norm"});
  ASSERT_EQ(folded.status, 0) << folded.output;
  EXPECT_THAT(folded.output, HasSubstr("8 batch norms folded"));
  EXPECT_THAT(read_file(onnx), HasSubstr(extra.at("yoke")));
}

}  // namespace
}  // namespace yoke

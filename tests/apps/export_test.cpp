#include "yoke/train/checkpoints/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/support.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/data/formats/pt.h"
#include "yoke/train/checkpoints/checkpoint.h"

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
  EXPECT_EQ(run(directory_.path() / "model.onnx").status, 2);
  EXPECT_EQ(run(directory_.path() / "missing" / "model.pt").status, 2);
  EXPECT_EQ(run(directory_.path()).status, 2);
  const auto nothing = test::run_yoke({"export", "/nowhere", "--output", "model.pt"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.output, HasSubstr("/nowhere does not exist"));
}

}  // namespace
}  // namespace yoke

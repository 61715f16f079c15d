// tests/train/script_test.cpp: runs of a model that a file says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/script_models.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/train/checkpoints/open_model.h"
#include "yoke/train/checkpoints/trained_model.h"
#include "yoke/train/workload.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;

class ScriptRun : public testing::Test {
 protected:
  std::string flags(const ConvScript& chosen) const {
    return fmt::format(
        "--model {} --data glyphs:train=500,validation=103 --batch-size 150 "
        "--lr 0.01 --threads 1 --print-every 1 --max-steps 6 --checkpoint-every 3steps",
        script_choice(conv_script(chosen), file_));
  }

  TemporaryDirectory directory_;
  fs::path file_ = directory_.path() / "net.ts";
  fs::path one_ = directory_.path() / "one";
  fs::path two_ = directory_.path() / "two";
};

TEST_F(ScriptRun, IsTheSameOverRanks) {
  for (const std::string engine : {"eager", "compiled"}) {
    const auto words = flags({.batch_norm = false}) + " --engine " + engine;
    const fs::path one = directory_.path() / (engine + "1"),
                   two = directory_.path() / (engine + "2");
    run_ranks_well(1, train_words(one, words));
    run_ranks_well(2, train_words(two, words));
    expect_equal_runs(one, two);
  }
}

TEST_F(ScriptRun, NeedsItsFileNoLonger) {
  const auto words = flags({.dropout = 0.2});
  run_ranks_well(1, train_words(one_, words));
  fs::remove(file_);
  fs::rename(one_, two_);
  const auto step = two_ / "checkpoints" / "step-3";
  for (const fs::path& path : {two_, two_ / "model.safetensors"}) {
    EXPECT_EQ(open_model(path).model.input, (ImageShape{1, 28, 28})) << path;
  }
  TrainedModel trained = read_trained_model(two_);
  EXPECT_NO_THROW(Workload(trained.config, 1, {}));
  const auto exported = run_yoke({"export", two_.string(), "-o", (two_ / "out.onnx").string()});
  EXPECT_EQ(exported.status, 0) << exported.output;
  auto resumed = train_words(two_, "--resume auto --max-steps 8");
  const auto result = run_yoke(resumed);
  EXPECT_EQ(result.status, 0) << result.output;

  fs::remove(two_ / "script.ts");
  EXPECT_THROW(open_model(two_), UsageError);
}

}  // namespace
}  // namespace yoke::test

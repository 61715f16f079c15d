// tests/train/batch_size_test.cpp: batches that grow as the run goes on.
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>

#include "tests/train/growing_runs.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSizes = "0:30,1:50,3:120";  // of 240 images: epochs of 8, 5, 5 and 2 steps

/// Runs whose batches are of `sizes`.
class GrowingBatches : public GrowingRuns {
 protected:
  std::string flags(const std::string& sizes, const ConvScript& chosen = {.batch_norm = false}) {
    return with_net("--batch-size " + sizes, chosen);
  }
};

TEST_F(GrowingBatches, AreTheSameOverRanksAndInBothEngines) {
  const auto eager = run("eager", flags(kSizes) + " --engine eager");
  const auto compiled = run("compiled", flags(kSizes) + " --engine compiled");
  expect_equal_runs(eager, compiled);
  expect_equal_runs(eager, run("eager3", flags(kSizes) + " --engine eager", 3));
  expect_equal_runs(compiled, run("compiled3", flags(kSizes) + " --engine compiled", 3));
}

TEST_F(GrowingBatches, AreTheSameAfterAResume) {
  const std::string all = flags(kSizes, {.batch_norm = true, .dropout = 0.2}) +
                          " --schedule multi-step:milestones=1+3,gamma=0.5 --mixup 0.2"
                          " --checkpoint-every 1epoch";
  for (const std::string engine : {" --engine eager", " --engine compiled"}) {
    const auto whole = run("whole" + engine.substr(10), all + engine);
    for (const int steps : {7, 8, 9, 18}) {  // before, at and after changes
      const auto part = fmt::format("part{}{}", steps, engine.substr(10));
      run(part, fmt::format("{}{} --max-steps {}", all, engine, steps));
      expect_same_weights(whole, run(part, "--resume auto --max-steps 20"));
    }
  }
}

TEST_F(GrowingBatches, AreWhatTheyWereWhereTheSizeIsOne) {
  expect_same_weights(run("one", flags("64")), run("same", flags("0:64,2:64")));
  EXPECT_NE(read_file(run("other", flags("0:64,2:60")) / "model.safetensors"),
            read_file(run("again", flags("64")) / "model.safetensors"));
}

TEST_F(GrowingBatches, AreAsLargeAsTheirEpochSays) {
  std::vector<std::int64_t> trained;
  const TrainParts parts{
      .model =
          [&](const ModelInput& input) {
            const auto module =
                std::make_shared<torch::nn::LinearImpl>(input.image.elements(), input.classes);
            const auto forward = [&, module](const torch::Tensor& images) {
              if (module->is_training()) trained.push_back(images.size(0));
              return module->forward(images.flatten(1));
            };
            return Model{.module = module, .forward = forward, .input = input.image};
          },
      .data = {}};
  auto config = small_run(directory_.path() / "run");  // three epochs of 512 images
  config.engine = EngineKind::kEager;
  config.batch_size = SizesByEpoch::parse("0:200,1:300,2:512", "--batch-size", kBatchSizes);
  const auto result = train(config, parts);
  EXPECT_THAT(trained, ElementsAre(200, 200, 112, 300, 212, 512));
  EXPECT_EQ(summary(directory_.path() / "run").at("steps"), 6);
  EXPECT_EQ(summary(directory_.path() / "run").at("epochs"), 3.0);
  EXPECT_EQ(summary(directory_.path() / "run").at("images_seen"), 3 * 512);
  EXPECT_EQ(summary(directory_.path() / "run").at("batch_size"), 512);
}

TEST_F(GrowingBatches, ReportByEpochsAndFollowSchedulesOfEpochs) {
  const auto out = run("run", flags(kSizes) +
                                  " --schedule step:step_size=1,gamma=0.5 "
                                  "--eval-every 1epoch");
  std::vector<std::int64_t> steps;
  std::vector<double> epochs, rates;
  for (const auto& report : reports(out)) {
    if (report.at("split") != "val") continue;
    steps.push_back(report.at("step"));
    epochs.push_back(report.at("epoch"));
    rates.push_back(report.at("lr"));
  }
  EXPECT_THAT(steps, ElementsAre(8, 13, 18, 20));
  EXPECT_THAT(epochs, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(rates, ElementsAre(0.02, 0.01, 0.005, 0.0025));
}

TEST_F(GrowingBatches, AreToldOfAndKeptInTheConfiguration) {
  const auto result = told(flags("0:30,2:120"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("step       30 images, 120 from epoch 2 on, "),
                                   HasSubstr("; 20 steps"), HasSubstr("Epoch: [1][8/8]"),
                                   HasSubstr("Epoch: [3][2/2]"), Not(HasSubstr("warning"))));
  EXPECT_THAT(read_file(directory_.path() / "run" / "config.toml"),
              HasSubstr("batch-size = '0:30,2:120'"));
}

TEST_F(GrowingBatches, WarnWhereTheyNeverHaveTheirLastSize) {
  EXPECT_THAT(told(flags("0:60,4:120")).output,
              HasSubstr("the run ends after step 16, before batches have their last size"));
}

TEST_F(GrowingBatches, AreRefusedWithWhatIsAllowed) {
  EXPECT_THAT(refusal("--data glyphs --batch-size 2:28"),
              AllOf(HasSubstr("--batch-size is '2:28'; it does not begin at epoch 0"),
                    HasSubstr("a size from 1 on, or sizes and the epochs"),
                    HasSubstr(std::string(kBatchSizes.example))));
  EXPECT_THAT(refusal("--data glyphs:train=240,validation=60 --batch-size 0:64,1:241"),
              AllOf(HasSubstr("batch size 241"), HasSubstr("from 1 to 240")));
  EXPECT_THAT(refusal("--data glyphs --batch-size 0:64,1:128 --batch-size-per-rank 32"),
              HasSubstr("both --batch-size 0:64,1:128 and --batch-size-per-rank 32"));
}

}  // namespace
}  // namespace yoke::test

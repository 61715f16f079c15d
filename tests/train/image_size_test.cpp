// tests/train/image_size_test.cpp: training images that grow as the run goes on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include <map>
#include <set>

#include "tests/data/dataset_files.h"
#include "tests/train/growing_runs.h"
#include "yoke/core/error.h"
#include "yoke/train/checkpoints/open_model.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Runs whose images are of `sizes`.
class GrowingImages : public GrowingRuns {
 protected:
  std::string flags(const std::string& sizes, const ConvScript& chosen = {.batch_norm = false}) {
    return with_net("--batch-size 64 --image-size " + sizes, chosen);
  }
};

TEST_F(GrowingImages, AreTheSameOverRanksAndInBothEngines) {
  const std::string sizes = flags("0:12,1:20,3:28");
  const auto eager = run("eager", sizes + " --engine eager");
  const auto compiled = run("compiled", sizes + " --engine compiled");
  expect_equal_runs(eager, compiled);
  expect_equal_runs(eager, run("eager3", sizes + " --engine eager", 3));
  expect_equal_runs(compiled, run("compiled3", sizes + " --engine compiled", 3));
}

TEST_F(GrowingImages, AreTheSameAfterAResume) {
  const std::string all =
      flags("0:12,2:28", {.batch_norm = true, .dropout = 0.2}) + " --checkpoint-every 3steps";
  for (const std::string engine : {" --engine eager", " --engine compiled"}) {
    const auto whole = run("whole" + engine.substr(10), all + engine);
    for (const int steps : {5, 8, 11}) {  // before, at and after the change
      const auto part = fmt::format("part{}{}", steps, engine.substr(10));
      run(part, fmt::format("{}{} --max-steps {}", all, engine, steps));
      expect_same_weights(whole, run(part, "--resume auto --max-steps 16"));
    }
  }
}

TEST_F(GrowingImages, AreWhatTheyWereWhereTheSizeIsTheirOwn) {
  const std::string own = flags("28");
  const std::string none = own.substr(0, own.find(" --image-size"));
  for (const std::string engine : {" --engine eager", " --engine compiled"}) {
    const auto plain = run("plain" + engine.substr(10), none + engine);
    expect_same_weights(plain, run("own" + engine.substr(10), own + engine));
    const auto grown = run("grown" + engine.substr(10), flags("0:12,1:28") + engine);
    EXPECT_NE(read_file(plain / "model.safetensors"), read_file(grown / "model.safetensors"));
  }
}

TEST_F(GrowingImages, AreAsLargeAsTheirEpochSays) {
  std::vector<std::int64_t> trained;
  std::set<std::int64_t> validated;
  const TrainParts parts{
      .model =
          [&](const ModelInput& input) {
            const auto module = std::make_shared<torch::nn::LinearImpl>(1, input.classes);
            const auto forward = [&, module](const torch::Tensor& images) {
              const std::int64_t side = images.size(2);
              if (module->is_training()) {
                trained.push_back(side);
              } else {
                validated.insert(side);
              }
              return module->forward(images.mean({1, 2, 3}).unsqueeze(1));
            };
            return Model{.module = module, .forward = forward, .input = input.image};
          },
      .data = {}};
  auto config = small_run(directory_.path() / "run");  // three epochs of six steps
  config.engine = EngineKind::kEager;
  config.image_size = SizesByEpoch::parse("0:12,1:20,2:28", "--image-size", kImageSizes);
  train(config, parts);
  ASSERT_EQ(trained.size(), 18U);
  for (std::size_t i = 0; i < trained.size(); ++i) {
    EXPECT_EQ(trained[i], std::vector<std::int64_t>({12, 20, 28})[i / 6]) << i;
  }
  EXPECT_THAT(validated, ElementsAre(12, 20, 28));  // the first two to see whether it takes them
}

TEST_F(GrowingImages, LeaveFrozenStatisticsAsTheyAre) {
  for (const std::string engine : {" --engine eager", " --engine compiled"}) {
    const auto out = run("frozen" + engine.substr(10),
                         flags("0:12,2:28", {.batch_norm = true}) + " --freeze conv+norm" + engine);
    std::map<std::string, torch::Tensor> saved;
    for (const auto& [name, tensor] : read_safetensors(out / "model.safetensors")) {
      saved[name] = tensor;
    }
    EXPECT_TRUE(saved.at("norm.running_mean").equal(torch::zeros({6}))) << engine;
    EXPECT_TRUE(saved.at("norm.running_var").equal(torch::ones({6}))) << engine;
  }
}

TEST_F(GrowingImages, AreToldOfAndKeptInTheConfiguration) {
  const auto result = told(flags("0:12,2:28"));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, AllOf(HasSubstr("images     of 12x12 from epoch 0 on"),
                                   HasSubstr("images     of 28x28 from epoch 2 on")));
  EXPECT_THAT(result.output, Not(HasSubstr("warning")));
  EXPECT_THAT(read_file(directory_.path() / "run" / "config.toml"),
              HasSubstr("image-size = '0:12,2:28'"));
}

TEST_F(GrowingImages, AreThoseOfTheTrainedModel) {
  const auto out = run("run",
                       "--model bn-cnn --data glyphs:train=240,validation=60 --batch-size 64 "
                       "--epochs 1 --threads 1 --image-size 20");
  EXPECT_EQ(open_model(out).model.input, (ImageShape{1, 20, 20}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evaluate", out.string()},
        {"export", out.string(), "-o", (out / "model.onnx").string()}}) {
    const auto result = run_yoke(words);
    EXPECT_EQ(result.status, 0) << result.output;
  }
}

TEST_F(GrowingImages, WarnWhereTheyNeverHaveTheirLastSize) {
  EXPECT_THAT(told(flags("0:12,4:28")).output,
              HasSubstr("the run ends after step 16, before images have their last size"));
}

TEST_F(GrowingImages, AreRefusedWhereTheModelDoesNotTakeThem) {
  EXPECT_THAT(refusal("--data glyphs --model mlp --image-size 0:12,2:28"),
              AllOf(HasSubstr("images of 1x28x28, and not of 1x12x12"), HasSubstr("resnet18")));
  EXPECT_THAT(refusal("--data glyphs --model lenet --image-size 0:12,2:28"),
              AllOf(HasSubstr("ends with images of 28"), HasSubstr("takes 1x32x32")));
  EXPECT_THAT(refusal("--data glyphs --model mlp --image-size 2:28"),
              HasSubstr("does not begin at epoch 0"));
}

}  // namespace
}  // namespace yoke::test

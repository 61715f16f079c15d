// tests/train/precision_test.cpp: runs in mixed precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>
#include <memory>

#include "tests/support/gpus.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;
namespace fs = std::filesystem;

/// Twelve epochs of lenet on 1000 glyphs.
TrainConfig lenet_run(const fs::path& out, const std::string& precision) {
  TrainConfig config = small_run(out, "lenet");
  config.data = "glyphs:train=1000,validation=300";
  config.epochs = 12;
  config.engine = EngineKind::kEager;
  config.precision = parse_word<Precision>("--precision", precision);
  return config;
}

double accuracy(const TrainConfig& config) {
  return train(config).summary.at("val_top1").get<double>();
}

class ReachesWhatFp32Does : public testing::TestWithParam<std::string> {};

TEST_P(ReachesWhatFp32Does, OnGlyphs) {
  const TemporaryDirectory directory;
  const double expected = accuracy(lenet_run(directory.path() / "fp32", "fp32"));
  EXPECT_GT(expected, 0.8) << "it has learnt nothing";
  // Of 300 images; two runs of fp32 with seeds of their own differ by as much.
  EXPECT_NEAR(accuracy(lenet_run(directory.path() / "narrow", GetParam())), expected, 0.04);
  EXPECT_EQ(summary(directory.path() / "narrow").at("precision"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Precisions, ReachesWhatFp32Does, testing::Values("o1", "o2"),
                         [](const auto& info) { return info.param; });

TEST(Precision, RunsOnAGpu) {
  YOKE_NEEDS_GPUS(1);
  const TemporaryDirectory directory;
  const double expected = accuracy(lenet_run(directory.path() / "fp32", "fp32"));
  for (const char* const precision : {"bf16", "o1", "o2"}) {
    EXPECT_NEAR(accuracy(lenet_run(directory.path() / precision, precision)), expected, 0.04)
        << precision;
  }
}

/// Gradients of the `planted`-th training step of all models that share `steps` are infinite.
TrainParts with_overflow(int planted) {
  const auto steps = std::make_shared<int>(0);
  TrainParts parts;
  parts.model = [=](const ModelInput& input) {
    Model model = make_model("mlp", input, 1);
    model.forward = [=, plain = model.forward](const Tensor& images) {
      Tensor scores = plain(images);
      if (scores.requires_grad() && ++*steps == planted) {
        scores.register_hook([](const Tensor& gradient) {
          return gradient * std::numeric_limits<float>::infinity();
        });
      }
      return scores;
    };
    return model;
  };
  return parts;
}

TEST(Precision, SkipsAStepThatOverflowsAndSaysSo) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.precision = Precision::kO2;
  std::ostringstream shown;
  TrainContext context;
  context.output.stream = &shown;
  const auto found = train(config, with_overflow(3), context).summary;
  EXPECT_THAT(shown.str(),
              HasSubstr("Gradient overflow. Skipping step, loss scaler 0 reducing loss "
                        "scale to 32768"));
  EXPECT_THAT(shown.str(), HasSubstr("o2 (numbers rounded to fp16, computed in fp32)"));
  EXPECT_EQ(found.at("counters").at("skipped_steps"), 1);
  EXPECT_EQ(found.at("counters").at("loss_scale"), 32768);
  EXPECT_EQ(found.at("status"), "completed");
}

/// The scale in the newest checkpoint of a run.
double saved_scale(const fs::path& run) {
  for (const auto& [name, tensor] :
       read_checkpoint(list_checkpoints(run / "checkpoints").front()).optimizer) {
    if (name == "loss_scaler.scale") return tensor.item<double>();
  }
  return 0;
}

TEST(Precision, GoesOnWithTheScaleOfTheCheckpoint) {
  const TemporaryDirectory directory;
  const auto whole = directory.path() / "whole", halves = directory.path() / "halves";
  auto config = small_run(whole);
  config.precision = Precision::kO2;
  config.checkpoint_every = Interval::parse("5steps", "");
  config.keep = 100;
  train(config, with_overflow(3));
  fs::copy(whole, halves, fs::copy_options::recursive);
  for (const auto& checkpoint : list_checkpoints(halves / "checkpoints")) {
    if (checkpoint.filename() > "step-00000010") fs::remove_all(checkpoint);
  }
  config.out = halves;
  config.resume = "auto";
  const auto resumed = train(config, with_overflow(-1)).summary;
  EXPECT_EQ(resumed.at("counters").at("loss_scale"), 32768);
  EXPECT_EQ(resumed.at("counters").at("skipped_steps"), 0) << "of this process";
  EXPECT_EQ(saved_scale(halves), 32768);
  EXPECT_EQ(reports(whole), reports(halves));
  EXPECT_EQ(read_file(whole / "model.safetensors"), read_file(halves / "model.safetensors"));
}

TEST(Precision, MayChangeOverAResume) {
  const TemporaryDirectory directory;
  auto config = small_run(directory.path() / "run");
  config.engine = EngineKind::kEager;
  config.checkpoint_every = Interval::parse("6steps", "");
  std::int64_t steps = 0;
  for (const char* const precision : {"o2", "fp32", "o2"}) {
    config.precision = parse_word<Precision>("--precision", precision);
    config.max_steps = steps += 5;
    EXPECT_EQ(train(config).summary.at("steps"), steps) << precision;
    config.resume = "auto";
  }
}

TEST(Precision, TrainsAlikeOverRanksAndReplicas) {
  const TemporaryDirectory directory;
  const auto words = [&](const std::string& out, const std::string& more) {
    return train_words(directory.path() / out,
                       "--model lenet --engine eager --precision o2 --threads 1 --print-every 1 "
                       "--data glyphs:train=400,validation=103 --epochs 2 --batch-size 150 "
                       "--lr 0.01 " +
                           more);
  };
  run_ranks_well(1, words("one", ""));
  run_ranks_well(2, words("two", "--strategy allreduce:check_every=1"));
  run_ranks_well(3, words("split", "--strategy allreduce:check_every=1,shard_state=true"));
  run_ranks_well(1, words("replicas", "--replicas 2"));
  const auto expected = reports(directory.path() / "one");
  for (const char* const out : {"two", "split", "replicas"}) {
    const auto found = reports(directory.path() / out);
    ASSERT_EQ(found.size(), expected.size()) << out;
    for (std::size_t i = 0; i < found.size(); ++i) {
      // Shares of a gradient are rounded to fp16 each by itself.
      EXPECT_NEAR(found[i].at("loss").get<double>(), expected[i].at("loss").get<double>(), 0.01)
          << out << ", " << i;
    }
  }
}

}  // namespace
}  // namespace yoke::test

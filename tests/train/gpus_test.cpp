// tests/train/gpus_test.cpp: which GPUs a rank takes, and runs on them.
#include "yoke/train/gpus.h"

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gpus.h"
#include "tests/train/run.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using testing::HasSubstr;

std::vector<int> firsts(std::int64_t ranks, std::int64_t replicas, std::int64_t gpus) {
  std::vector<int> firsts;
  for (std::int64_t place = 0; place < ranks; ++place) {
    firsts.push_back(first_gpu(place, replicas, gpus));
  }
  return firsts;
}

TEST(FirstGpu, FollowsThoseOfTheRanksBefore) {
  EXPECT_THAT(firsts(4, 0, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(firsts(4, 1, 4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(firsts(3, 2, 6), testing::ElementsAre(0, 2, 4));
  EXPECT_THAT(firsts(1, 8, 8), testing::ElementsAre(0));
}

TEST(FirstGpu, IsSharedWhereNoneAreLeft) {
  EXPECT_THAT(firsts(3, 1, 2), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(firsts(3, 2, 5), testing::ElementsAre(0, 2, 0));  // none beyond the last
  EXPECT_THAT(firsts(2, 1, 1), testing::ElementsAre(0, 0));     // each sees its own alone
}

TEST(FirstGpu, IsRefusedWhereARankWantsMoreThanThereAre) {
  EXPECT_THAT([] { first_gpu(0, 3, 2); },
              testing::ThrowsMessage<UsageError>(testing::AllOf(
                  testing::HasSubstr("--replicas 3"), testing::HasSubstr("LibTorch sees 2"))));
}

/// Losses and accuracies are those of the other run but for rounding, which grows with the steps.
void expect_alike(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto expected = test::reports(one), found = test::reports(other);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].at("loss").get<double>(), expected[i].at("loss").get<double>(), 0.05);
    EXPECT_EQ(found[i].at("step"), expected[i].at("step"));
  }
}

TEST(Gpus, TryNoAlgorithmsInAShortRun) {
  const test::TemporaryDirectory directory;
  at::globalContext().setBenchmarkCuDNN(true);
  train(test::small_run(directory.path() / "run"));
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
}

TEST(CudaGraph, IsRefusedOnAProcessorBeforeAnythingIsWritten) {
  const test::TemporaryDirectory directory;
  auto config = test::small_run(directory.path() / "run");
  config.device = DeviceKind::kCpu;
  config.cuda_graph = true;
  EXPECT_THAT([&] { train(config); },
              testing::ThrowsMessage<UsageError>(HasSubstr("--device cuda")));
  EXPECT_FALSE(std::filesystem::exists(config.out));
}

TEST(CudaGraph, TakesTheStepsOfARunWithoutIt) {
  YOKE_NEEDS_GPUS(1);
  const test::TemporaryDirectory directory;
  for (const char* const precision : {"fp32", "o2"}) {
    const auto run = [&](bool graph) {
      auto config =
          test::small_run(directory.path() / fmt::format("{}-{}", precision, graph), "lenet");
      config.precision = parse_word<Precision>("--precision", precision);
      config.device = DeviceKind::kCuda;
      config.cuda_graph = graph;
      train(config);
      return config.out;
    };
    expect_alike(run(false), run(true));
  }
}

TEST(CudaGraph, HasTheProductsOfMuonInIt) {
  YOKE_NEEDS_GPUS(1);
  const test::TemporaryDirectory directory;
  const auto run = [&](bool graph) {
    auto config = test::small_run(directory.path() / fmt::format("{}", graph), "lenet");
    config.optimizer = "muon";
    config.device = DeviceKind::kCuda;
    config.cuda_graph = graph;
    train(config);
    return config.out;
  };
  expect_alike(run(false), run(true));
}

TEST(Resources, HaveTheGpu) {
  YOKE_NEEDS_GPUS(1);
  const test::TemporaryDirectory directory;
  auto config = test::small_run(directory.path() / "run");
  config.device = DeviceKind::kCuda;
  config.resources = true;
  train(config);
  const std::string lines = read_file(directory.path() / "run" / "resources.csv");
  EXPECT_THAT(lines, testing::ContainsRegex(",[0-9]+,[1-9][0-9]+\n$"));
}

/// A run of two ranks on GPUs over `comm` is like that of one.
void expect_two_ranks_alike(const std::string& comm) {
  const test::TemporaryDirectory directory;
  const auto words = [&](const std::string& out, const std::string& over) {
    return test::train_words(directory.path() / out,
                             "--model lenet --device cuda --data glyphs:train=400,validation=103 "
                             "--epochs 2 --batch-size 150 --lr 0.01 --print-every 1 --comm " +
                                 over);
  };
  test::run_ranks_well(1, words("one", "single"));
  test::run_ranks_well(2, words("two", comm));
  expect_alike(directory.path() / "one", directory.path() / "two");
}

TEST(Gpus, TrainAlikeAsRanksThatShareOne) {
  YOKE_NEEDS_GPUS(1);
  for (const char* const comm : {"gloo", "shared-memory", "auto"}) expect_two_ranks_alike(comm);
}

TEST(Gpus, TrainAlikeAsRanksOverNccl) {
  YOKE_NEEDS_GPUS(2);
  expect_two_ranks_alike("nccl");
}

}  // namespace
}  // namespace yoke

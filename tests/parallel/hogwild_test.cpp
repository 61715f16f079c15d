// Workers that change one vector without locks.
#include <gtest/gtest.h>

#include "tests/parallel/training.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/parallel/workers/in_process.h"
#include "yoke/parallel/workers/shared_vector.h"

namespace yoke::test {
namespace {

using torch::Tensor;

class SharedVectorOf : public testing::TestWithParam<int> {};

TEST_P(SharedVectorOf, IsTheSameForAllRanks) {
  const int elements = GetParam();
  run_ranks(3, [&](const Group& group) {
    const auto communicator = make_communicator("gloo", group);
    SharedVector shared(group, elements);
    const Tensor start = torch::arange(elements).to(torch::kFloat32);
    if (group.rank == 0) shared.set(start);
    const Tensor ready = torch::zeros({1});
    communicator->all_reduce(ready);
    const Tensor values = torch::zeros({elements}), before = torch::zeros({elements});
    shared.read(values, before);
    EXPECT_TRUE(values.equal(start));
    EXPECT_TRUE(before.equal(start));
    // Each adds to numbers of its own, in words that no other changes.
    communicator->all_reduce(ready);
    for (int i = 0; i < elements; ++i) {
      if (i / 2 % 3 == group.rank) values[i] += group.rank + 1;
    }
    for (int time = 0; time < 100; ++time) shared.add(values, before);
    communicator->all_reduce(ready);
    shared.read(values, before);
    for (int i = 0; i < elements; ++i) {
      EXPECT_EQ(values[i].item<float>(), static_cast<float>(i + 100 * (i / 2 % 3 + 1))) << i;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Elements, SharedVectorOf, testing::Values(1, 2, 7, 1000));

TEST(SharedVector, NeedsOneHost) {
  EXPECT_THROW(
      run_ranks(std::vector<int>{1, 1}, [](const Group& group) { SharedVector(group, 3); }),
      UsageError);
}

// How many of the additions are lost is up to chance; that both of a pair are lost or none is not.
TEST(SharedVector, ChangesPairsWholeWhenAllAddToAll) {
  constexpr int kTimes = 2'000'000;
  static constexpr std::int64_t kPairs = 4;
  run_ranks(3, [](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    SharedVector shared(group, 2 * kPairs);
    const Tensor zero = torch::zeros({2 * kPairs}),
                 change = torch::tensor({1.0F, 2.0F}).repeat(kPairs);
    communicator->all_reduce(torch::zeros({1}));  // all begin at once
    for (int time = 0; time < kTimes; ++time) shared.add(change, zero);
    communicator->all_reduce(torch::zeros({1}));
    const Tensor found = torch::zeros({2 * kPairs});
    shared.read(found, torch::zeros({2 * kPairs}));
    const Tensor pairs = found.view({kPairs, 2}), times = pairs.select(1, 0);
    EXPECT_TRUE(pairs.select(1, 1).equal(2 * times)) << pairs;
    EXPECT_TRUE(times.equal(times.round()));
    EXPECT_GE(times.min().item<float>(), 1);
    EXPECT_LE(times.max().item<float>(), 3 * kTimes) << "more than was added";
  });
}

TEST(Hogwild, OfOneWorkerIsSequential) {
  expect_near(train({.strategy = "hogwild"}), train({.strategy = "allreduce"}), 1e-5);
}

TEST(Hogwild, LearnsWithSeveralWorkers) {
  const Trained one = train({.strategy = "hogwild", .steps = 40});
  const Trained three = train({.strategy = "hogwild", .ranks = 3, .steps = 40});
  EXPECT_LT(three.losses[38], one.losses[0] / 2);
}

TEST(Hogwild, WorkersAreThreadsOfOneProcessOrProcesses) {
  EXPECT_EQ(ranks_in_process("hogwild:workers=3", 1, 8), 3);
  EXPECT_EQ(ranks_in_process("hogwild", 1, 8), 8);
  EXPECT_EQ(ranks_in_process("hogwild", 4, 8), 1);
  EXPECT_EQ(ranks_in_process("hogwild:workers=1", 4, 8), 1);
  EXPECT_EQ(ranks_in_process("allreduce:compress=bf16", 1, 8), 1);
  EXPECT_THROW(ranks_in_process("hogwild:workers=2", 4, 8), UsageError);
  EXPECT_THROW(ranks_in_process("hogwild:workers=-1", 1, 8), UsageError);
}

}  // namespace
}  // namespace yoke::test

// The all-reduce strategy over ranks that are threads, on a network without dropout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parallel/training.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/compression.h"

namespace yoke::test {
namespace {

using torch::Tensor;

TEST(AllReduceStrategy, TakesTheStepsOfOneRankWhateverTheShares) {
  const Trained one = train({"allreduce", 1});
  for (const int ranks : {2, 3, 4}) {
    for (const char* strategy : {"allreduce", "allreduce:bucket_mib=0,first_bucket_mib=0"}) {
      expect_near(train({strategy, ranks}), one, 1e-5);
      expect_near(train({strategy, ranks, "gloo"}), one, 1e-5);
    }
  }
}

TEST(AllReduceStrategy, AccumulatesPartsOfABatch) {
  const Trained one = train({"allreduce", 1});
  expect_near(train({"allreduce:accumulate=3", 1}), one, 1e-5);
  expect_near(train({"allreduce:accumulate=5", 2}), one, 1e-5);
}

TEST(AllReduceStrategy, TakesNearlyTheSameStepsCompressed) {
  const Trained one = train({"allreduce", 1});
  expect_near(train({"allreduce:compress=bf16", 3}), one, 2e-2);
  expect_near(train({"allreduce:compress=fp16", 3}), one, 2e-3);
  // Of full rank nothing is lost.
  expect_near(train({"allreduce:compress=powersgd:rank=1024", 3}), one, 1e-4);
}

TEST(PowerSgd, LosesNothingInTheLongRun) {
  constexpr int kSteps = 400;
  std::vector<Tensor> means(2);
  run_ranks(2, [&](const Group& group) {
    Model model = classifier(1);  // 30 x 12 and 4 x 30 weights
    const auto communicator = make_communicator("shared-memory", group);
    FlatParameters parameters(*model.module);
    const auto compression = make_compression("powersgd:rank=1", parameters, *communicator);
    const Tensor wanted = (torch::arange(parameters.size()) * (group.rank + 1.3)).sin();
    Tensor sum = torch::zeros_like(wanted);
    for (int step = 0; step < kSteps; ++step) {
      parameters.gradients().copy_(wanted);
      compression->start({0, parameters.size()});
      compression->finish();
      sum += parameters.gradients();
      if (step == kSteps / 2) compression->synchronise();  // moves what is left to rank 0
    }
    const Tensor total = wanted.clone();
    communicator->all_reduce(total);
    // One step cannot give it: the matrices are not of rank 1.
    EXPECT_GT((parameters.gradients() - total).abs().max().item<double>(), 0.1);
    EXPECT_LT((sum / kSteps - total).abs().max().item<double>(), 0.1);
    means[static_cast<std::size_t>(group.rank)] = sum;
  });
  EXPECT_TRUE(means[0].equal(means[1]));
}

TEST(AllReduceStrategy, RefusesAnUnknownCompression) {
  EXPECT_THROW(train({"allreduce:compress=zip", 1}), UsageError);
}

TEST(Agreement, NamesTheRanksThatDiffer) {
  run_ranks(3, [](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    const Tensor values = torch::ones({1001});
    check_agreement(values, *communicator);
    if (group.rank == 2) values[1000] += 1e-7;
    try {
      check_agreement(values, *communicator);
      ADD_FAILURE() << "not seen";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("rank 2 are not those of rank 0"));
    }
  });
}

}  // namespace
}  // namespace yoke::test

// tests/parallel/loss_scale_test.cpp: scaled losses over ranks that are threads.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parallel/training.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/parallel/agreement.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

constexpr int kScaledSteps = 6, kPlanted = 3;

/// A rank with the classifier in o2, whose gradient can be made to overflow.
struct ScaledRank {
  ScaledRank(const std::string& strategy_text, const std::string& optimizer_text,
             Communicator& communicator)
      : model(classifier(communicator.rank())),
        parameters(*model.module),
        engine(make_eager_engine(
            model, parameters,
            {.precision = Precision::kO2,
             .loss_scale = [this] { return scaler.scale() * (overflows ? 1e30 : 1); },
             .another = [] { return classifier(0); }})),
        strategy(make_strategy(strategy_text, {.engine = *engine,
                                               .parameters = parameters,
                                               .buffers = {},
                                               .communicator = communicator,
                                               .optimizer = optimizer_text,
                                               .scaler = &scaler})) {
    strategy->begin({.epochs = Epochs(kScaledSteps), .total_steps = kScaledSteps});
  }

  void step(const Batch& batch) const { strategy->step(batch, {}, {.lr = 0.1}); }

  /// Parameters, and the state of the optimizer, of which all is this rank's on one rank.
  std::vector<Tensor> all() {
    std::vector<Tensor> tensors = {parameters.values().clone()};
    for (const auto& item : strategy->state()) tensors.push_back(item.second.clone());
    return tensors;
  }

  bool overflows = false;
  LossScaler scaler{{.initial = 1024}};  // none of these gradients overflows by itself
  Model model;
  FlatParameters parameters;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Strategy> strategy;
};

bool equal(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return x.equal(y); });
}

class Overflow : public testing::TestWithParam<std::string> {};

TEST_P(Overflow, OfOneRankSkipsThatStepOnAll) {
  for (const int ranks : {1, 2, 3}) {
    run_ranks(ranks, [&](const Group& group) {
      at::set_num_threads(1);
      const auto communicator = make_communicator(ranks == 1 ? "single" : "gloo", group);
      ScaledRank rank(GetParam(), "adam:clip=1", *communicator);
      for (int step = 0; step < kScaledSteps; ++step) {
        rank.overflows = step == kPlanted && group.rank == ranks - 1;
        const auto before = rank.all();
        rank.step(share_of(batch_of(17), group.rank, ranks));
        const auto after = rank.all();
        check_agreement(rank.parameters.values(), *communicator);
        if (group.rank == 0) {  // has the whole state
          EXPECT_EQ(equal(before, after), step == kPlanted) << step << " on " << ranks;
        }
        EXPECT_TRUE(before[0].equal(after[0]) == (step == kPlanted)) << step << " on " << ranks;
        EXPECT_EQ(rank.scaler.scale(), step < kPlanted ? 1024 : 512) << step << " on " << ranks;
      }
      EXPECT_EQ(rank.scaler.skipped(), 1);
      EXPECT_THAT(rank.scaler.take_events(), testing::ElementsAre(HasSubstr("Gradient overflow.")));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Overflow,
                         testing::Values("allreduce", "allreduce:shard_state=true",
                                         "allreduce:accumulate=3", "allreduce:compress=fp16"),
                         [](const auto& info) { return fmt::format("of_{}", info.index); });

TEST(ScaledLosses, TrainEachRankByItsOwnScaleBetweenMeans) {
  run_ranks(2, [&](const Group& group) {
    at::set_num_threads(1);
    const auto communicator = make_communicator("gloo", group);
    ScaledRank rank("averaging:every=2,momentum=reset", "adam", *communicator);
    for (int step = 0; step < kScaledSteps; ++step) {
      rank.overflows = step == kPlanted && group.rank == 1;
      rank.step(share_of(batch_of(17), group.rank, 2));
    }
    EXPECT_EQ(rank.scaler.scale(), group.rank == 1 ? 512 : 1024);
    check_agreement(rank.parameters.values(), *communicator);
  });
}

TEST(ScaledLosses, AreRefusedWhereTheyCannotBeUndone) {
  const auto refuse = [](const std::string& strategy, const std::string& optimizer,
                         const std::string& reason) {
    run_ranks(2, [&](const Group& group) {
      const auto communicator = make_communicator("gloo", group);
      EXPECT_THAT([&] { ScaledRank(strategy, optimizer, *communicator); },
                  testing::ThrowsMessage<UsageError>(HasSubstr(reason)));
      communicator->all_reduce(torch::zeros({1}));  // none leaves while another still connects
    });
  };
  refuse("allreduce:compress=powersgd", "sgd", "leave out compress");
  refuse("parameter-server", "sgd", "--strategy allreduce");
  refuse("allreduce", "lbfgs", "--optimizer");
  refuse("allreduce:shard_state=true", "lbfgs", "--optimizer");
}

}  // namespace
}  // namespace yoke::test

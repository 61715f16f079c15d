// Optimizer state split over ranks that are threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parallel/training.h"
#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/parallel/sharding/sharded_optimizer.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using torch::Tensor;

TEST(ShardState, TakesTheStepsOfAllReduce) {
  for (const char* optimizer :
       {"sgd", "sgd:momentum=0.9", "sgd:momentum=0.9,nesterov=true,weight_decay=0.01", "adam",
        "adamw:weight_decay=0.1"}) {
    for (const int ranks : {1, 2, 3, 4}) {  // of 514 parameters: with a remainder of 0, 1 and 2
      Training training{.strategy = "allreduce", .ranks = ranks, .optimizer = optimizer};
      training.lr = 0.01;
      const Trained whole = train(training);
      training.strategy = "allreduce:shard_state=true";
      const Trained split = train(training);
      // Both add up in the order of ranks.
      EXPECT_EQ(whole.losses, split.losses) << optimizer;
      EXPECT_TRUE(whole.values.equal(split.values)) << optimizer << " on " << ranks;
      training.comm = "gloo";
      expect_near(train(training), whole, 1e-5);
    }
  }
}

TEST(ShardState, WorksTogetherWithOtherOptions) {
  const std::string others = "accumulate=3,check_every=1,sync_batchnorm=true";
  for (const int ranks : {1, 3}) {
    const Trained whole = train({"allreduce:" + others, ranks});
    const Trained split = train({"allreduce:shard_state=true," + others, ranks});
    EXPECT_TRUE(whole.values.equal(split.values));
  }
}

TEST(ShardState, RefusesCompression) {
  try {
    train({"allreduce:shard_state=true,compress=bf16", 2});
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("compress=bf16"));
  }
}

/// Parameters [elements] of zeros.
struct Vector : torch::nn::Module {
  explicit Vector(std::int64_t elements) { register_parameter("values", torch::zeros({elements})); }
};

/// Calls work(shards, parameters) on every rank.
void with_shards(int ranks, std::int64_t elements,
                 const std::function<void(Shards&, FlatParameters&, Communicator&)>& work) {
  run_ranks(ranks, [&](const Group& group) {
    const auto communicator = make_communicator("shared-memory", group);
    Vector vector(elements);
    FlatParameters parameters(vector,
                              [&](std::int64_t count) { return communicator->allocate(count); });
    Shards shards(parameters, *communicator);
    work(shards, parameters, *communicator);
  });
}

TEST(Shards, SumAndGatherWhateverTheSize) {
  for (const int ranks : {2, 3, 4}) {
    for (const std::int64_t elements : {0, 1, 2, 3, 17, 5'003}) {
      with_shards(ranks, elements, [&](Shards& shards, FlatParameters& all, Communicator& comm) {
        const Tensor numbers = torch::arange(static_cast<float>(elements));
        all.gradients().copy_(numbers * (comm.rank() + 1));
        shards.sum_gradients();
        shards.own().values().copy_(shards.own().gradients());
        shards.gather_values();
        EXPECT_TRUE(all.values().equal(numbers * (ranks * (ranks + 1) / 2)));
      });
    }
  }
}

/// Halves the way to 0 and again; remembers where it was.
class TwoCalls final : public Optimizer {
 public:
  TwoCalls(const Shard& shard, std::int64_t odd)
      : parameters_(shard.parameters),
        history_(torch::zeros({2, shard.parameters.size()})),
        odd_(torch::zeros({odd})) {}

  Tensor step(const Objective& objective, const Rates&) override {
    for (int call = 0; call < 2; ++call) {
      const Tensor loss = objective();
      history_[call].copy_(parameters_.values());
      parameters_.values().sub_(parameters_.gradients(), 0.5);
      if (call == 1) return loss;
    }
    return {};
  }
  std::vector<std::pair<std::string, Tensor>> state() override {
    return {{"history", history_}, {"odd", odd_}};
  }

 private:
  FlatParameters& parameters_;
  Tensor history_;  // fp32 [2, P]
  Tensor odd_;
};

TEST(ShardedOptimizer, HasWholeParametersAtEveryCallOfTheObjective) {
  for (const std::int64_t elements : {1, 17}) {
    with_shards(3, elements, [&](Shards& shards, FlatParameters& all, Communicator& comm) {
      const auto optimizer = make_sharded_optimizer(
          [](const Shard& shard) { return std::make_unique<TwoCalls>(shard, 1); }, shards);
      all.values().fill_(8);
      std::vector<Tensor> seen;
      const Objective objective = [&] {
        seen.push_back(all.values().clone());
        all.gradients().copy_(all.values() / comm.size());
        shards.sum_gradients();
        return torch::zeros({});
      };
      optimizer->step(objective, {});
      ASSERT_EQ(seen.size(), 2u);
      EXPECT_TRUE(seen[0].equal(torch::full({elements}, 8)));
      EXPECT_TRUE(seen[1].equal(torch::full({elements}, 4)));
      EXPECT_TRUE(all.values().equal(torch::full({elements}, 2)));

      auto state = optimizer->state();
      ASSERT_EQ(state[0].second.sizes(), torch::IntArrayRef({2, elements}));
      ASSERT_EQ(state[1].second.sizes(), torch::IntArrayRef({1}));
      if (comm.rank() == 0) {
        EXPECT_TRUE(state[0].second.equal(torch::stack(seen)));
      }
      state[0].second.copy_(torch::arange(2.0F * static_cast<float>(elements)).view({2, -1}));
      const Tensor set = state[0].second.clone();
      shards.put_back();
      const Tensor again = optimizer->state()[0].second;
      if (comm.rank() == 0) {
        EXPECT_TRUE(again.equal(set));
      }
    });
  }
}

TEST(ShardedOptimizer, KeepsStateOfItsPartAlone) {
  constexpr std::int64_t kElements = 1'000;
  with_shards(4, kElements, [&](Shards& shards, FlatParameters& all, Communicator&) {
    Optimizer* inner = nullptr;
    const auto optimizer = make_sharded_optimizer(
        [&](const Shard& shard) {
          auto part = make_optimizer("adam", shard);
          if (shard.parameters.size() > 0) inner = part.get();
          return part;
        },
        shards);
    optimizer->step([&] { return all.gradients().fill_(1).sum(); }, {.lr = 0.1});
    std::int64_t kept = 0;
    for (const auto& [name, tensor] : inner->state()) kept += tensor.numel();
    EXPECT_EQ(kept, 1 + 2 * kElements / 4);
    const auto state = optimizer->state();
    for (const std::size_t i : {1, 2}) {  // after the number of steps
      EXPECT_EQ(state[i].second.numel(), kElements);
      EXPECT_EQ(state[i].second.use_count(), 1u) << "held by others than who asked";
    }
  });
}

TEST(ShardedOptimizer, RefusesStateThatCannotBeCut) {
  with_shards(2, 17, [&](Shards& shards, FlatParameters&, Communicator&) {
    try {
      make_sharded_optimizer(
          [](const Shard& shard) {
            return std::make_unique<TwoCalls>(shard, shard.parameters.size() * 2);
          },
          shards);
      ADD_FAILURE() << "it was taken";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'odd' ["));
    }
  });
}

}  // namespace
}  // namespace yoke::test

// Ranks that train by themselves and now and then take the mean of their parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parallel/copy.h"
#include "yoke/core/error.h"

namespace yoke::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Averaging, AtEveryStepWithPlainSgdIsAllReduce) {
  const Trained one = train({.strategy = "allreduce", .optimizer = "sgd"});
  for (const int ranks : {1, 2, 3, 4}) {
    for (const char* comm : {"shared-memory", "gloo"}) {
      expect_near(
          train(
              {.strategy = "averaging:every=1", .ranks = ranks, .comm = comm, .optimizer = "sgd"}),
          one, 1e-5);
    }
  }
}

TEST(Averaging, TakesOneAverageAtTheEnd) {
  const Trained once = train({.strategy = "averaging:every=end", .ranks = 3});
  EXPECT_THAT(once.counters, ElementsAre(Pair("rounds", 1)));
  EXPECT_TRUE(once.values.equal(train({.strategy = "averaging:every=100", .ranks = 3}).values));
  EXPECT_FALSE(once.values.allclose(train({.strategy = "averaging:every=1", .ranks = 3}).values));
}

TEST(Averaging, MeetsEverySoManySteps) {
  const Trained found = train({.strategy = "averaging:every=4", .ranks = 3, .steps = 10});
  EXPECT_THAT(found.counters, ElementsAre(Pair("rounds", 3)));  // after 4, 8 and 10 steps
}

TEST(Averaging, BeginsWithAllReduce) {
  const Training whole{.strategy = "averaging:every=4,warmup=2", .ranks = 3};
  expect_near(train(whole), train({.strategy = "allreduce"}), 1e-5);
  const Trained half = train({.strategy = "averaging:every=end,warmup=1", .ranks = 3});
  EXPECT_THAT(half.counters, ElementsAre(Pair("rounds", 1)));
  EXPECT_FALSE(half.values.allclose(train({.strategy = "allreduce"}).values));
}

TEST(Averaging, OuterSgdOfRateOneWithoutMomentumIsTheMean) {
  expect_near(train({.strategy = "averaging:every=2,outer=nesterov:lr=1+momentum=0", .ranks = 3}),
              train({.strategy = "averaging:every=2", .ranks = 3}), 1e-6);
}

// With v = 0.9 v + d, d the way back from the mean: w = w - 0.7 (d + 0.9 v).
TEST(Averaging, OuterNesterovGoesOnInTheDirectionOfTheMean) {
  const std::string outer = "averaging:every=2,outer=nesterov:lr=0.7+momentum=0.9";
  const auto after = [&](const std::string& strategy, int steps) {
    return train({.strategy = strategy, .ranks = 3, .steps = steps}).values;
  };
  const auto start = train({.strategy = "allreduce", .steps = 1, .lr = 0}).values;
  const auto mean = after("averaging:every=2", 2);
  EXPECT_TRUE(after(outer, 2).allclose(start + 0.7 * 1.9 * (mean - start), 1e-4, 1e-5));
}

TEST(Averaging, TreatsTheOptimizersMomentumAsTold) {
  const auto values = [](const std::string& momentum) {
    return train({.strategy = "averaging:every=2,momentum=" + momentum, .ranks = 3, .steps = 7})
        .values;
  };
  EXPECT_FALSE(values("keep").allclose(values("reset")));
  EXPECT_FALSE(values("keep").allclose(values("average")));
  // Without steps in between nothing of it can differ, and the mean is the momentum of the mean.
  const auto once = [](const std::string& options) {
    return train({.strategy = "averaging:every=1" + options, .ranks = 3});
  };
  expect_near(once(",momentum=average"), train({.strategy = "allreduce"}), 1e-5);
  expect_near(train({.strategy = "averaging:every=1,momentum=reset", .ranks = 3}),
              train({.strategy = "allreduce", .optimizer = "sgd"}), 1e-5);
}

TEST(Averaging, LeavesFrozenParametersTheirBits) {
  run_ranks(3, [](const Group& group) {
    Model model = classifier(group.rank);
    const auto frozen = model.module->parameters().front().set_requires_grad(false);
    Copy copy(group, "averaging:every=2", model);
    copy.begin();
    const auto before = frozen.clone(), all = copy.values().clone();
    for (int step = 0; step < 4; ++step) copy.take_step(step);
    EXPECT_TRUE(frozen.equal(before));
    EXPECT_FALSE(copy.values().equal(all));
  });
}

TEST(Averaging, RefusesWhatHasNoMeaningTogether) {
  const auto complaint = [](const Training& training) {
    try {
      train(training);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(complaint({.strategy = "averaging:start=own,warmup=1"}),
              testing::HasSubstr("leave out one of the two"));
  EXPECT_THAT(complaint({.strategy = "averaging:momentum=average", .optimizer = "lbfgs"}),
              testing::HasSubstr("momentum=keep or momentum=reset"));
}

TEST(Averaging, RefusesWhatItDoesNotKnow) {
  for (const char* options :
       {"every=0", "every=never", "outer=adam", "outer=nesterov:rate=1", "momentum=lost"}) {
    EXPECT_THROW(train({.strategy = std::string("averaging:") + options}), UsageError) << options;
  }
}

}  // namespace
}  // namespace yoke::test

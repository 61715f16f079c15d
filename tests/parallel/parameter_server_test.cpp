// Servers that keep the parameters, in step with their workers and not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/parallel/training.h"
#include "yoke/core/error.h"
#include "yoke/optim/optimizer.h"
#include "yoke/parallel/server/part_server.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using testing::Pair;
using torch::Tensor;

TEST(ParameterServer, InStepTakesTheStepsOfAllReduce) {
  for (const char* optimizer : {"sgd:momentum=0.9", "adam"}) {
    const Trained one = train({.strategy = "allreduce", .optimizer = optimizer});
    for (const int ranks : {1, 2, 3, 4}) {
      for (const char* comm : {"shared-memory", "gloo"}) {
        for (const char* strategy : {"parameter-server", "parameter-server:bucket_mib=0"}) {
          const Trained found =
              train({.strategy = strategy, .ranks = ranks, .comm = comm, .optimizer = optimizer});
          expect_near(found, one, 1e-5);
          EXPECT_THAT(found.counters, testing::Contains(Pair("updates", 6)));
        }
      }
    }
  }
}

TEST(ParameterServer, InStepTakesTheStepsOfAllReduceFromRanksThatServeAlone) {
  const Trained one = train({.strategy = "allreduce"});
  expect_near(train({.strategy = "parameter-server:servers=1", .ranks = 3}), one, 1e-5);
  expect_near(train({.strategy = "parameter-server:servers=2", .ranks = 5}), one, 1e-5);
  expect_near(train({.strategy = "parameter-server:servers=1", .ranks = 3, .comm = "gloo"}), one,
              1e-5);
}

TEST(ParameterServer, TakesTheMomentumOfTheSchedule) {
  const Trained one = train({.strategy = "allreduce", .momentum = 0.5});
  for (const char* strategy : {"parameter-server", "parameter-server:servers=1"}) {
    expect_near(train({.strategy = strategy, .ranks = 3, .momentum = 0.5}), one, 1e-5);
  }
  EXPECT_FALSE(one.values.allclose(train({.strategy = "allreduce"}).values));
}

TEST(ParameterServer, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& strategy, int ranks,
                          const std::string& optimizer = "sgd") {
    try {
      train({.strategy = strategy, .ranks = ranks, .optimizer = optimizer});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(refused("parameter-server:servers=2", 2), HasSubstr("a rank is left to work"));
  EXPECT_THAT(refused("parameter-server:staleness=2", 1), HasSubstr("mode=async"));
  EXPECT_THAT(refused("parameter-server:mode=async,staleness=-1", 1), HasSubstr("staleness"));
  EXPECT_THAT(refused("parameter-server:overlap=true", 1), HasSubstr("mode=async"));
  EXPECT_THAT(refused("parameter-server:mode=sometimes", 1), HasSubstr("async"));
  EXPECT_THAT(refused("parameter-server", 2, "lbfgs"), HasSubstr("several gradients in a step"));
  EXPECT_THAT(refused("parameter-server", 2, "sgd:clip=1"), HasSubstr("servers=1"));
  EXPECT_THAT(refused("allreduce:compress=powersgd", 2, "lbfgs"), HasSubstr("carries errors"));
}

/// A part of four numbers, moved by plain SGD of rate 1.
struct Served {
  struct Numbers : torch::nn::Module {
    Numbers() { register_parameter("numbers", torch::zeros({4})); }
  };
  explicit Served(const ServerRules& rules) : server(part, *optimizer, rules) {}

  void push(int worker, double gradient) {
    server.push(worker, torch::full({4}, gradient), {.lr = 1});
  }
  double pull(int worker) {
    const Tensor values = torch::empty({4});
    server.pull(worker, values);
    return values[3].item<double>();
  }

  Numbers numbers;
  FlatParameters part{numbers};
  std::unique_ptr<Optimizer> optimizer = make_optimizer("sgd", part);
  PartServer server;
};

TEST(PartServer, MovesAtEveryPushAndCountsStaleness) {
  Served served({.workers = 2, .sync = false});
  served.pull(1);
  for (int i = 0; i < 5; ++i) {
    served.push(0, -1);
    served.pull(0);
  }
  EXPECT_EQ(served.pull(0), 5);
  served.push(1, -1);  // of parameters that five updates have changed since
  EXPECT_EQ(served.pull(1), 6);
  EXPECT_EQ(served.server.counts().updates, 6);
  EXPECT_EQ(served.server.counts().staleness_most, 5);
  EXPECT_EQ(served.server.counts().staleness_sum, 5);
  EXPECT_EQ(served.server.counts().lead_most, 5);
}

class Staleness : public testing::TestWithParam<int> {};

TEST_P(Staleness, HoldsAWorkerThatIsTooFarAhead) {
  const int bound = GetParam(), pushes = 12;
  Served served({.workers = 2, .sync = false, .staleness = bound});
  std::atomic<int> done = 0;
  std::thread fast([&] {
    for (int i = 0; i < pushes; ++i) {
      served.push(0, -1);
      ++done;
    }
    served.server.rest(0);
  });
  for (int i = 0; i < pushes; ++i) {
    // The push that is one too many is taken in, but its worker does not go on.
    served.server.await(std::min(pushes, i + bound + 1) + i);
    EXPECT_LE(done, i + bound);
    served.push(1, -1);
  }
  fast.join();
  EXPECT_EQ(served.pull(0), 2 * pushes);
  EXPECT_EQ(served.server.counts().lead_most, bound);
}

INSTANTIATE_TEST_SUITE_P(Bounds, Staleness, testing::Values(0, 1, 4));

TEST(PartServer, WaitsForNobodyWhoRests) {
  Served served({.workers = 2, .sync = false, .staleness = 0});
  served.server.rest(1);
  for (int i = 0; i < 3; ++i) served.push(0, -1);
  served.server.rest(0);  // all rest: both are at work again
  std::thread other([&] { served.push(0, -1); });
  served.server.await(4);
  served.push(1, -1);
  other.join();
  EXPECT_EQ(served.pull(0), 5);
}

TEST(PartServer, WaitsForNobodyWhoIsLost) {
  Served served({.workers = 3, .sync = false, .staleness = 1});
  served.push(2, -1);
  std::thread ahead([&] { served.push(2, -1); });
  served.server.await(2);
  served.push(1, -1);
  served.server.lose(0);
  ahead.join();
  for (int phase = 0; phase < 2; ++phase) {  // it does not come back when all others rest
    served.server.rest(1);
    served.push(2, -1);
    served.push(2, -1);
    served.server.rest(2);
  }
  EXPECT_EQ(served.pull(1), 7);
}

TEST(PartServer, CountsStalenessFromThePullThatAGradientIsOf) {
  for (const bool overlap : {false, true}) {
    Served served({.workers = 2, .sync = false, .overlap = overlap});
    for (int i = 0; i < 3; ++i) {
      served.push(0, -1);
      served.pull(0);
    }
    served.push(0, -1);  // of the last pull, or of that before it, one update ago
    EXPECT_EQ(served.server.counts().staleness_most, overlap ? 1 : 0);
  }
}

TEST(PartServer, EndsAllWaitingWhenAWorkerIsLost) {
  for (const bool sync : {true, false}) {
    Served served({.workers = 2, .sync = sync, .staleness = 0});
    std::thread waits([&] { EXPECT_THROW(served.push(0, 1), CommError); });
    served.server.fail("lost");
    waits.join();
    EXPECT_THROW(served.push(1, 1), CommError);
  }
}

}  // namespace
}  // namespace yoke::test

// Asynchronous parameter servers whose workers are lost.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <latch>

#include "tests/parallel/training.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/parallel/agreement.h"

namespace yoke::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// A rank of a training, which leaves without a word when it is destroyed.
struct Rank {
  Rank(const Group& group, const std::string& comm, const std::string& strategy_text)
      : communicator(make_communicator(comm, group)),
        engine(make_eager_engine(model, parameters)),
        strategy(make_strategy(strategy_text, {*engine, parameters, {}, *communicator, "sgd"})) {
    strategy->begin({});
  }

  /// Steps until all meet again. Returns the events.
  std::vector<std::string> run_free() {
    return run_free(false, [] {});
  }

  /// Likewise, while a rank leaves after its first step: it opens `gate` when it has one, for which
  /// the others wait, or they might take all.
  std::vector<std::string> run_free(bool leaves, std::latch& gate) {
    return run_free(leaves, [&] { leaves ? gate.count_down() : gate.wait(); });
  }

  std::vector<std::string> run_free(bool leaves, const std::function<void()>& has_step) {
    struct Leave {};
    std::vector<std::string> events;
    try {
      events = strategy->workers()
                   .run({.first = 0,
                         .last = 4,
                         .take = [&](std::int64_t step) -> Stretch::Images {
                           has_step();
                           strategy->step(batch_of(17), {.step = step}, {.lr = 0.01});
                           if (leaves) throw Leave();
                           return {.own = 17, .all = 17};
                         },
                         .goes_on = [](std::int64_t) { return true; },
                         .meet = [] {}})
                   .events;
    } catch (const Leave&) {
      return {};
    }
    const auto go_on = strategy->synchronise();
    check_agreement(parameters.values(), *communicator);
    return events;
  }

  Model model = classifier(1);
  FlatParameters parameters{*model.module};
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Strategy> strategy;
};

struct Loss {
  std::string comm;
  int servers, workers;
  std::string options;
};

void PrintTo(const Loss& loss, std::ostream* out) {
  *out << loss.comm << " " << loss.servers << "+" << loss.workers << loss.options;
}

class LostWorkers : public testing::TestWithParam<Loss> {
 protected:
  std::string strategy() const {
    return "parameter-server:mode=async,servers=" + std::to_string(GetParam().servers) +
           GetParam().options;
  }
  int ranks() const { return GetParam().servers + GetParam().workers; }
};

TEST_P(LostWorkers, LeaveTheOthersAtWork) {
  const int servers = GetParam().servers, workers = GetParam().workers;
  std::deque<std::latch> gates;  // by who is gone
  for (int gone = 0; gone + 1 < workers; ++gone) gates.emplace_back(1);
  run_ranks(ranks(), [&](const Group& group) {
    at::set_num_threads(1);
    Rank rank(group, GetParam().comm, strategy());
    rank.run_free();
    EXPECT_EQ(rank.communicator->size(), servers + workers);
    std::vector<std::string> events;
    for (int gone = 0; gone + 1 < workers; ++gone) {  // one a time, the first of those left
      const bool leaves = group.rank == servers + gone;
      for (auto& line : rank.run_free(leaves, gates.at(gone))) events.push_back(std::move(line));
      if (leaves) return;
      EXPECT_EQ(rank.communicator->size(), servers + workers - gone - 1);
      EXPECT_EQ(rank.strategy->workers().data_shard().count, workers - gone - 1);
      EXPECT_EQ(rank.strategy->workers().data_shard().index,
                group.rank < servers ? -1 : group.rank - servers - gone - 1);
    }
    EXPECT_TRUE(rank.run_free().empty());
    if (group.rank != 0) return;
    EXPECT_THAT(rank.strategy->statistics().counters, Contains(Pair("workers_lost", workers - 1)));
    ASSERT_EQ(events.size(), static_cast<std::size_t>(workers - 1));
    EXPECT_THAT(events.front(), HasSubstr("rank " + std::to_string(servers) + " on host0"));
  });
}

TEST_P(LostWorkers, EndTheServersWhenAllAreLost) {
  std::atomic<int> failed = 0;
  const auto work = [&](const Group& group) {
    at::set_num_threads(1);
    Rank rank(group, GetParam().comm, strategy());
    try {
      rank.run_free(group.rank >= GetParam().servers, [] {});  // more steps than workers
    } catch (const CommError&) {
      ++failed;
    }
  };
  run_ranks(ranks(), work);
  EXPECT_EQ(failed, GetParam().servers);
}

INSTANTIATE_TEST_SUITE_P(Ways, LostWorkers,
                         testing::Values(Loss{"shared-memory", 1, 3, ""}, Loss{"gloo", 1, 3, ""},
                                         Loss{"shared-memory", 2, 3, ",staleness=0"},
                                         Loss{"gloo", 2, 2, ",overlap=true"}));

TEST(LostWorker, EndsAllWhereEveryRankServes) {
  std::atomic<int> failed = 0;
  std::latch gate(1);
  run_ranks(3, [&](const Group& group) {
    at::set_num_threads(1);
    Rank rank(group, "shared-memory", "parameter-server:mode=async");
    try {
      rank.run_free(group.rank == 2, gate);
    } catch (const CommError&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, 2);
}

}  // namespace
}  // namespace yoke::test

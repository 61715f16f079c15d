#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ranks.h"
#include "yoke/comm/communicators/rank_link.h"
#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;

constexpr const char* kSlow =
    "throttle:over=shared-memory,megabytes_per_second=10,latency_milliseconds=5";

TEST(Way, PassesWhatComesAtOnceOneAfterTheOther) {
  Way way;
  const Way::Time start = std::chrono::steady_clock::now();
  const auto since = [&](Way::Time time) {
    return std::chrono::duration<double>(time - start).count();
  };
  EXPECT_NEAR(since(way.pass(start, 2)), 2, 1e-6);
  EXPECT_NEAR(since(way.pass(start, 3)), 5, 1e-6);
  EXPECT_NEAR(since(way.pass(start + std::chrono::seconds(7), 1)), 8, 1e-6) << "it was free";
}

TEST(RankLink, IsOneForARankWhileSomethingUsesIt) {
  const auto link = RankLink::of(7);
  EXPECT_EQ(RankLink::of(7), link);
  EXPECT_NE(RankLink::of(8), link);
}

TEST(Throttle, TakesAsLongAsTheLinkWould) {
  run_ranks(2, [](const Group& group) {
    const auto comm = make_communicator(kSlow, group);
    const Stopwatch watch;
    comm->all_reduce(torch::ones({250'000}));  // 2 messages and a million bytes: 0.11 s
    EXPECT_GE(watch.seconds(), 0.11);
    EXPECT_THAT(comm->describe(), HasSubstr("throttle (10 MB/s, 5 ms, over shared-memory"));
  });
}

/// Ranks 1 and 2 each send 400 kB to rank 0 at once, or the other way around, a communicator a
/// pair. Sees that they come; the seconds that this rank needs.
double exchange_in_pairs(const Group& group, bool to_first) {
  std::vector<std::unique_ptr<Communicator>> pairs;
  for (const int other : {1, 2}) {
    if (group.rank != 0 && group.rank != other) continue;
    pairs.push_back(make_communicator(kSlow, group.part({0, other}, std::to_string(other))));
  }
  const auto all = make_communicator("shared-memory", group);
  const Stopwatch watch;
  all->all_reduce(torch::ones({1}));  // none begins before the others can
  const bool sends = to_first == (group.rank != 0);
  const auto sent = torch::arange(100'000, torch::kFloat32);
  std::vector<torch::Tensor> tensors;
  std::vector<Work> works;
  for (const auto& pair : pairs) {
    const int other = 1 - pair->rank();
    tensors.push_back(sends ? sent : torch::zeros_like(sent));
    works.push_back(pair->start(sends ? Operation::send(tensors.back(), other)
                                      : Operation::receive(tensors.back(), other)));
  }
  for (const auto& work : works) work.wait();
  for (const auto& tensor : tensors) EXPECT_TRUE(tensor.equal(sent));
  return watch.seconds();
}

TEST(Throttle, HasOneLinkForAllThatARankReceivesAtOnce) {
  run_ranks(3, [](const Group& group) {
    const double seconds = exchange_in_pairs(group, true);
    EXPECT_GE(seconds, group.rank == 0 ? 0.085 : 0.045);
  });
}

TEST(Throttle, HasOneLinkForAllThatARankSendsAtOnce) {
  run_ranks(3, [](const Group& group) {
    const double seconds = exchange_in_pairs(group, false);
    EXPECT_GE(seconds, group.rank == 0 ? 0.085 : 0.045);
  });
}

/// Rank 0 sends so many numbers, rank 1 receives another number of them and says so. The sender may
/// have done before that.
void expect_mismatch(std::int64_t sent, std::int64_t received) {
  run_ranks(2, [=](const Group& group) {
    const auto comm = make_communicator(kSlow, group);
    const auto tensor = torch::ones({group.rank == 0 ? sent : received});
    std::string failure;
    try {
      comm->run(group.rank == 0 ? Operation::send(tensor, 1) : Operation::receive(tensor, 0));
    } catch (const CommError& error) {
      failure = error.what();
    }
    if (group.rank == 1) {
      EXPECT_THAT(failure, HasSubstr("and this rank receives"));
    }
  });
}

TEST(Throttle, TellsOfAMessageOfAnotherSize) {
  expect_mismatch(20'001, 20'002);  // the first of their pieces are alike
  expect_mismatch(16'384, 32'768);
  expect_mismatch(1'024, 1'025);  // in one piece, and in several
}

}  // namespace
}  // namespace yoke::test

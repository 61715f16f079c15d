// tests/optim/ranges_test.cpp: loops over flat vectors, alone and in a team.
#include "yoke/optim/ranges.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "yoke/core/system/team.h"

namespace yoke {
namespace {

TEST(Ranges, CoverEachElementOnceAloneAndInATeam) {
  for (const int members : {0, 1, 2, 5}) {
    std::optional<Team> team;
    if (members > 0) team.emplace(members);
    for (const std::int64_t size : {0, 1, 15, 16, 17, 1000, 100'003}) {
      auto sum = torch::arange(size, torch::kFloat32);
      const auto one = torch::ones({size});
      std::atomic<std::int64_t> covered = 0;
      for_each_range({sum, one}, [&](float* const* at, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) at[0][i] += at[1][i];
        covered += count;
      });
      EXPECT_EQ(covered, size) << members << " members";
      EXPECT_TRUE(torch::equal(sum, torch::arange(1, size + 1, torch::kFloat32)))
          << members << " members, " << size << " elements";
    }
  }
}

TEST(Ranges, AreSharedOutByTheTeam) {
  Team team(2);
  std::atomic<int> ranges = 0;
  for_each_range({torch::zeros({64})}, [&](float* const*, std::int64_t count) {
    EXPECT_EQ(count, 32);
    ++ranges;
  });
  EXPECT_EQ(ranges, 2);
}

TEST(MarkedRanges, AreToldFromOthersAloneAndInATeam) {
  for (const int members : {0, 1, 2, 5}) {
    std::optional<Team> team;
    if (members > 0) team.emplace(members);
    for (const std::int64_t size : {0, 1, 15, 16, 17, 1000, 100'003}) {
      const std::vector<std::vector<ElementRange>> choices = {
          {},
          {{0, size}},
          {{0, size / 3}, {size / 3, size / 2}},
          {{size / 3, size / 2}, {size - size / 4, size}},
          {{size / 7, size / 7 + size / 100}, {size / 2, size / 2 + size / 3}}};
      for (const auto& marked : choices) {
        auto expected = torch::ones({size}), found = torch::zeros({size});
        for (const auto& [begin, end] : marked) expected.narrow(0, begin, end - begin).fill_(2);
        const auto one = torch::ones({size});
        for_each_range({found, one}, marked, [](float* const* at, std::int64_t count, bool in) {
          for (std::int64_t i = 0; i < count; ++i) at[0][i] += in ? 2 * at[1][i] : at[1][i];
        });
        EXPECT_TRUE(torch::equal(found, expected)) << members << " members, " << size;
        for (const auto& [begin, end] : outside(marked, size)) {
          EXPECT_LT(begin, end);
          expected.narrow(0, begin, end - begin).add_(1);
        }
        EXPECT_TRUE(torch::equal(expected, torch::full({size}, 2))) << size;
      }
    }
  }
}

TEST(Items, AreEachTakenOnceAloneAndInATeam) {
  for (const int members : {0, 1, 2, 5}) {
    std::optional<Team> team;
    if (members > 0) team.emplace(members);
    for (const std::size_t size : {0, 1, 4, 100}) {
      std::vector<std::atomic<int>> taken(size);
      for_each_item(size, [&](std::size_t i) { ++taken[i]; });
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(taken[i], 1) << members << " members, " << i;
    }
  }
}

TEST(Items, AreTakenByMembersAtTheSameTime) {
  Team team(2);
  std::atomic<int> begun = 0;
  for_each_item(2, [&](std::size_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();  // for ever, were they taken one after the other
  });
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace yoke

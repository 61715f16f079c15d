// tests/core/team_test.cpp: threads that work through a step together.
#include "yoke/core/system/team.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace yoke {
namespace {

TEST(Team, CallsEachMemberOnceInItsOwnThread) {
  Team team(3);
  std::array<std::thread::id, 3> last{};
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::array<int, 3> calls{};
    std::array<std::thread::id, 3> ids{};
    team.run([&](int member) {
      ++calls.at(static_cast<std::size_t>(member));
      ids.at(static_cast<std::size_t>(member)) = std::this_thread::get_id();
    });
    EXPECT_EQ(calls, (std::array{1, 1, 1}));
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    EXPECT_NE(ids[1], ids[2]);
    if (repeat > 0) {
      EXPECT_EQ(ids, last);
    }
    last = ids;
  }
}

TEST(Team, RethrowsAfterAllHaveEndedAndGoesOn) {
  Team team(2);
  std::atomic<int> ended = 0;
  EXPECT_THROW(team.run([&](int member) {
    ++ended;
    if (member == 1) throw std::runtime_error("one failed");
  }),
               std::runtime_error);
  EXPECT_EQ(ended, 2);
  team.run([&](int) { ++ended; });
  EXPECT_EQ(ended, 4);
}

TEST(Team, IsFoundByItsIdleLeaderOnly) {
  EXPECT_EQ(Team::of_this_thread(), nullptr);
  Team team(2);
  EXPECT_EQ(Team::of_this_thread(), &team);
  std::array<Team*, 2> found{&team, &team};
  team.run(
      [&](int member) { found.at(static_cast<std::size_t>(member)) = Team::of_this_thread(); });
  EXPECT_EQ(found, (std::array<Team*, 2>{}));
  {
    const Team inner(1);
    EXPECT_EQ(Team::of_this_thread(), &inner);
  }
  EXPECT_EQ(Team::of_this_thread(), &team);
}

}  // namespace
}  // namespace yoke

#include "yoke/comm/rendezvous/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "yoke/comm/rendezvous/address.h"
#include "yoke/comm/rendezvous/card.h"
#include "yoke/core/error.h"
#include "yoke/core/system/network.h"
#include "yoke/core/version.h"

namespace yoke {
namespace {

using testing::HasSubstr;

constexpr Timeouts kShort{.join = std::chrono::seconds(2)};
constexpr Timeouts kLong{.join = std::chrono::minutes(1)};

/// A server on a free port, and worlds that know it.
struct Meeting {
  StoreAddress address{.host = "127.0.0.1", .port = 0};
  std::shared_ptr<Store> store = open_store(address, true, kLong.join);

  World world(int rank, int size) const {
    World world;
    world.rank = rank;
    world.size = size;
    world.store = address;
    return world;
  }
  /// Comes as `rank` with what it says of itself.
  void pretend(int rank, const std::string& card) const {
    const auto keys = below(store, "yoke/0");
    keys->add("rank/" + std::to_string(rank) + "/claims", 1);
    keys->set("rank/" + std::to_string(rank), card);
  }
};

std::string card(const std::string& version, const std::string& network) {
  return to_text({.version = version,
                  .peer = {.rank = 1,
                           .host = "elsewhere",
                           .memory = "m",
                           .network = network,
                           .address = "127.0.0.1",
                           .cores = {0}}});
}

template <typename Kind>
std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Join, GivesEachRankTheOthers) {
  const Meeting meeting;
  Group second;
  std::thread other([&] { second = join(meeting.world(1, 2), kLong); });
  const Group first = join(meeting.world(0, 2), kLong);
  other.join();
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(second.rank, 1);
  for (const Group& group : {first, second}) {
    ASSERT_EQ(group.peers.size(), 2);
    EXPECT_EQ(group.peers[1].rank, 1);
    EXPECT_EQ(group.peers[1].address, "127.0.0.1");
    EXPECT_TRUE(group.one_host());
  }
}

TEST(Join, NamesTheRanksThatAreMissing) {
  const Meeting meeting;
  const auto text = message<CommError>([&] { join(meeting.world(1, 4), kShort); });
  EXPECT_THAT(text, HasSubstr("of 4 ranks, 3 did not come"));
  EXPECT_THAT(text, HasSubstr("0, 2, 3"));
}

TEST(Join, RejectsASecondProcessWithItsRank) {
  const Meeting meeting;
  meeting.pretend(1, card(std::string(kVersion), "n"));
  EXPECT_THAT(message<UsageError>([&] { join(meeting.world(1, 2), kLong); }),
              HasSubstr("two processes with rank 1"));
}

TEST(Join, RejectsAnotherVersion) {
  const Meeting meeting;
  meeting.pretend(1, card("99.0", "n"));
  EXPECT_THAT(message<UsageError>([&] { join(meeting.world(0, 2), kLong); }),
              HasSubstr("yoke 99.0"));
}

TEST(Join, SaysWhatARankThatIsNoneOfYokesLeftInItsPlace) {
  const Meeting meeting;
  meeting.pretend(1, "HTTP/1.1 200 OK");
  const auto text = message<CommError>([&] { join(meeting.world(0, 2), kLong); });
  EXPECT_THAT(text, HasSubstr("rank 1 does not say"));
  EXPECT_THAT(text, HasSubstr("received \"HTTP/1.1 200 OK\""));
}

TEST(Join, RejectsALoopbackAddressBetweenHosts) {
  const Meeting meeting;
  meeting.pretend(1, card(std::string(kVersion), "another network"));
  EXPECT_THAT(message<UsageError>([&] { join(meeting.world(0, 2), kLong); }),
              HasSubstr("loopback address"));
}

TEST(Join, SaysThatThePortIsTaken) {
  const Meeting meeting;
  World world = meeting.world(0, 2);
  world.serves = true;
  EXPECT_THAT(message<CommError>([&] { join(world, kShort); }), HasSubstr("is the port taken"));
}

TEST(Join, SaysThatNobodyAnswers) {
  World world;
  {
    const Meeting meeting;  // whose port is free again
    world = meeting.world(1, 2);
  }
  EXPECT_THAT(message<CommError>([&] { join(world, kShort); }), HasSubstr("nobody answers at"));
}

TEST(LocalAddress, ListsTheInterfacesWhenThereIsNoSuchOne) {
  EXPECT_THAT(message<UsageError>([] { local_address("none7", "127.0.0.1"); }),
              HasSubstr("allowed: "));
  EXPECT_EQ(local_address("", "127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(interface_of("127.0.0.1"), "lo");
}

TEST(IsLoopback, KnowsBothFamilies) {
  EXPECT_TRUE(is_loopback_address("127.0.0.1"));
  EXPECT_TRUE(is_loopback_address("127.9.9.9"));
  EXPECT_TRUE(is_loopback_address("::1"));
  EXPECT_FALSE(is_loopback_address("10.0.0.1"));
}

}  // namespace
}  // namespace yoke

#include "yoke/comm/rendezvous/group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ranks.h"
#include "yoke/comm/communicators/c10d.h"
#include "yoke/comm/received.h"

namespace yoke::test {
namespace {

using testing::ElementsAre;

TEST(Group, KnowsItsNeighbours) {
  const auto store = local_store();
  EXPECT_THAT(group_on({2, 1}, store, 0).neighbours(), ElementsAre(0, 1));
  EXPECT_THAT(group_on({2, 1}, store, 2).neighbours(), ElementsAre(2));
  EXPECT_FALSE(group_on({2, 1}, store, 0).one_host());
  EXPECT_TRUE(group_on({3}, store, 0).one_host());
}

TEST(Group, PartKeepsWhoItsRanksAre) {
  const auto store = local_store();
  const Group part = group_on({2, 3}, store, 4).part({1, 3, 4}, "some");
  EXPECT_EQ(part.rank, 2);
  EXPECT_EQ(part.size, 3);
  EXPECT_EQ(part.peers[0].rank, 1);
  EXPECT_EQ(part.peers[2].rank, 4);
  EXPECT_THAT(part.neighbours(), ElementsAre(1, 2));
  EXPECT_EQ(part.part({0, 2}, "fewer").peers[1].rank, 4);
}

TEST(Group, PartsHaveStoresOfTheirOwn) {
  const auto store = local_store();
  const Group group = group_on({2}, store, 0);
  group.part({0, 1}, "a").store->set("key", "a");
  EXPECT_FALSE(group.part({0, 1}, "b").store->has("key"));
  EXPECT_FALSE(store->has("key"));
  EXPECT_EQ(group.part({0, 1}, "a").store->get("key", std::chrono::seconds(1)), "a");
}

TEST(Group, PartOfOneRankNeedsNoStore) {
  const Group part = Group{}.part({0}, "alone");
  EXPECT_EQ(part.size, 1);
  EXPECT_THAT(part.neighbours(), ElementsAre(0));
}

TEST(Store, KeepsEmptyValuesAndNumbers) {
  const auto store = local_store();
  store->set("empty", "");
  EXPECT_EQ(store->get("empty", std::chrono::seconds(1)), "");
  EXPECT_EQ(store->add("number", 2), 2);
  EXPECT_EQ(store->add("number", 3), 5);
}

/// LibTorch's own values are without the mark of Yoke's.
TEST(Store, SaysWhatItHoldsWhereNoRankHasWrittenIt) {
  const auto store = local_store();
  const auto get_of = [&](const std::string& value) {
    c10d_store(*store)->set("key", std::vector<std::uint8_t>(value.begin(), value.end()));
    store->get("key", std::chrono::seconds(1));
  };
  EXPECT_THAT([&] { get_of(""); }, testing::ThrowsMessage<Garbled>(
                                       testing::HasSubstr("'key' in the ranks' store is \"\"")));
  EXPECT_THAT([&] { get_of("7\n"); },
              testing::ThrowsMessage<Garbled>(testing::HasSubstr("is \"7\\n\", which no rank")));
  EXPECT_NO_THROW(get_of("=7"));
}

}  // namespace
}  // namespace yoke::test

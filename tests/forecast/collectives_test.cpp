// What all-reduces send, against the formulas of Thakur, Rabenseifner and Gropp, by hand.
#include "yoke/forecast/collectives.h"

#include <gtest/gtest.h>

namespace yoke::forecast {
namespace {

void expect_sent(const Sent& sent, double messages, double bytes) {
  EXPECT_DOUBLE_EQ(sent.messages, messages);
  EXPECT_DOUBLE_EQ(sent.bytes, bytes);
}

TEST(Collectives, SendNothingWhenThereIsOneRank) {
  expect_sent(ring_half(1, 100), 0, 0);
  expect_sent(ring_all_reduce(1, 100), 0, 0);
  expect_sent(tree_all_reduce(1, 100), 0, 0);
}

TEST(Collectives, SendWhatTheFormulasSay) {
  expect_sent(ring_half(4, 100), 3, 75);
  expect_sent(ring_all_reduce(4, 100), 6, 150);
  expect_sent(ring_all_reduce(3, 90), 4, 120);
  expect_sent(tree_all_reduce(2, 100), 2, 200);
  expect_sent(tree_all_reduce(3, 100), 4, 400);
  expect_sent(tree_all_reduce(8, 100), 6, 600);
  expect_sent(tree_all_reduce(9, 100), 8, 800);
}

TEST(Collectives, SendMoreTheMoreRanksThereAre) {
  for (std::int64_t ranks = 1; ranks < 5000; ++ranks) {
    const Sent fewer = ring_all_reduce(ranks, 100), more = ring_all_reduce(ranks + 1, 100);
    EXPECT_LT(fewer.messages, more.messages);
    EXPECT_LT(fewer.bytes, more.bytes);
    EXPECT_LT(more.bytes, 200);  // 2 n is the limit
  }
}

TEST(Collectives, HaveFewerMessagesInATreeThanInARingOfMany) {
  EXPECT_DOUBLE_EQ(ring_all_reduce(4096, 100).messages, 8190);
  EXPECT_DOUBLE_EQ(tree_all_reduce(4096, 100).messages, 24);
}

TEST(Link, CostsItsLatencyAndItsBytes) {
  const Link link{.latency_seconds = 0.5, .seconds_per_byte = 0.25};
  EXPECT_DOUBLE_EQ(link.seconds({.messages = 3, .bytes = 8}), 3.5);
}

}  // namespace
}  // namespace yoke::forecast

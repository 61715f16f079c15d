// What came from other processes and is none of Yoke's is refused, and the error says what it was.
#include "yoke/comm/received.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ranks.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/card.h"
#include "yoke/comm/text.h"
#include "yoke/core/version.h"

namespace yoke::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Excerpt, IsShortAndCanBePrinted) {
  EXPECT_EQ(excerpt("a b"), "\"a b\"");
  EXPECT_EQ(excerpt("\x1b[2J\n"), "\"\\u001b[2J\\n\"");
  EXPECT_EQ(excerpt("\xff"), "\"\\ufffd\"");
  EXPECT_EQ(excerpt(std::string(1000, 'x')), '"' + std::string(100, 'x') + "\"...");
}

TEST(Received, IsRefusedWhereItIsNestedDeeply) {
  const auto read = [](const std::string& text) {
    return read_received(text, "a test", [](const nlohmann::json& json) { return json.size(); });
  };
  EXPECT_EQ(read("[[1], [2]]"), 2);
  EXPECT_THAT([&] { read(std::string(100'000, '[') + std::string(100'000, ']')); },
              ThrowsMessage<Garbled>(HasSubstr("a test: it is nested more than 16 deep")));
  EXPECT_THAT([&] { read("[[1], [2]"); }, ThrowsMessage<Garbled>(HasSubstr("it is not JSON")));
}

TEST(WholeNumber, IsInItsRange) {
  const auto number = [](const char* text) {
    return whole_number(nlohmann::json::parse(text), -1, 9);
  };
  EXPECT_EQ(number("-1"), -1);
  EXPECT_EQ(number("9"), 9);
  for (const char* const wrong :
       {"-2", "10", "1.0", "1e300", "18446744073709551615", "\"5\"", "true", "null", "[5]"}) {
    EXPECT_THAT([&] { number(wrong); },
                ThrowsMessage<Error>(HasSubstr("is no whole number from -1 to 9")))
        << wrong;
  }
}

Card good_card() {
  return {.version = kVersion,
          .peer = {.rank = 3,
                   .host = "node",
                   .memory = "m",
                   .network = "n",
                   .address = "10.0.0.5",
                   .cores = {0, 2, 5}}};
}

TEST(RankCard, IsReadAsWritten) {
  const Card card = parse_card(to_text(good_card()), 3);
  EXPECT_EQ(card.version, kVersion);
  EXPECT_EQ(card.peer.rank, 3);
  EXPECT_EQ(card.peer.host, "node");
  EXPECT_EQ(card.peer.memory, "m");
  EXPECT_EQ(card.peer.network, "n");
  EXPECT_EQ(card.peer.address, "10.0.0.5");
  EXPECT_THAT(card.peer.cores, testing::ElementsAre(0, 2, 5));
}

TEST(RankCard, OfAnotherVersionMaySayOtherThings) {
  const Card card = parse_card(R"({"version": "99.0", "host": "node", "cores": "all"})", 3);
  EXPECT_EQ(card.version, "99.0");
  EXPECT_EQ(card.peer.host, "node");
}

TEST(RankCard, IsRefusedWhereItIsNone) {
  const auto good = nlohmann::json::parse(to_text(good_card()));
  const auto refused = [&](const char* key, const char* value) {
    auto card = good;
    card[key] = nlohmann::json::parse(value);
    EXPECT_THAT([&] { parse_card(card.dump(), 3); },
                ThrowsMessage<Garbled>(HasSubstr("rank 3 does not say")))
        << card;
  };
  refused("cores", "[-1]");
  refused("cores", "[0, 2, 1]");
  refused("cores", "[2, 2]");
  refused("cores", "[1e300]");
  refused("cores", "[\"0\"]");
  refused("cores", "7");
  refused("address", "7");
  refused("host", "null");
  refused("version", "[1]");
  auto part = good;
  part.erase("network");
  EXPECT_THAT([&] { parse_card(part.dump(), 3); }, ThrowsMessage<Garbled>(HasSubstr("'network'")));
}

TEST(Texts, HaveASizeThatTextsHave) {
  for (const std::int64_t size : {std::int64_t{-5}, std::int64_t{1} << 60}) {
    run_ranks(2, [&](const Group& group) {
      const auto communicator = make_communicator("shared-memory", group);
      if (group.rank == 0) {
        communicator->broadcast(torch::tensor({size}, torch::kInt64), 0);
        return;
      }
      EXPECT_THAT([&] { broadcast_text(*communicator, "", 0); },
                  ThrowsMessage<Garbled>(
                      HasSubstr(fmt::format("rank 0 is about to send a text of {} bytes", size))));
    });
  }
}

}  // namespace
}  // namespace yoke::test

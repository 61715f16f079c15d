// What agents and the coordinator tell each other, and what strangers may.
#include "yoke/launch/rendezvous/message.h"

#include <gtest/gtest.h>

#include "tests/launch/messages.h"
#include "yoke/core/error.h"

namespace yoke::launch {
namespace {

TEST(Message, ComesBackAsItWas) {
  const auto all = messages();
  ASSERT_EQ(all.size(), std::variant_size_v<Message>);
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    const Message back = decode(encode(all[kind]));
    EXPECT_EQ(back.index(), kind);
    EXPECT_EQ(encode(back), encode(all[kind]));
  }
}

/// Puts each of `numbers` in place of each number in `json`, one at a time, and tries the whole.
void spoil(nlohmann::json& whole, nlohmann::json& json, const std::string& field) {
  if (json.is_structured()) {
    for (auto& [key, value] : json.items()) spoil(whole, value, json.is_object() ? key : field);
    return;
  }
  if (!json.is_number()) return;
  const nlohmann::json before = json;
  for (const nlohmann::json& number :
       {nlohmann::json(-100'000), nlohmann::json(std::int64_t{1} << 32),
        nlohmann::json(std::int64_t{1} << 62), nlohmann::json(~std::uint64_t{0}),
        nlohmann::json(1e300), nlohmann::json(-1e300), nlohmann::json(nullptr)}) {
    const bool clock = field == "time" || field == "now";  // may well be large
    if (clock && number.is_number_integer()) continue;
    json = number;
    EXPECT_THROW(decode(whole.dump()), Error) << whole.dump();
  }
  json = before;
}

TEST(Message, IsRefusedWithANumberThatNobodySends) {
  for (const Message& message : messages()) {
    auto json = nlohmann::json::parse(encode(message));
    spoil(json, json, "");
  }
}

TEST(Message, IsRefusedWhenNestedDeeply) {
  const std::string open(1'000'000, '['), close(1'000'000, ']');
  EXPECT_THROW(decode(open + "1" + close), Error);
  EXPECT_THROW(decode(R"({"type": )" + open + close + "}"), Error);
}

TEST(Message, IsRefusedWithASignalThatThereIsNot) {
  EXPECT_THROW(decode(R"({"type": "signal", "number": 0})"), Error);
  EXPECT_THROW(decode(R"({"type": "signal", "number": 65})"), Error);
  EXPECT_THROW(decode(R"({"type": "signal", "number": 2.5})"), Error);
  EXPECT_NO_THROW(decode(R"({"type": "signal", "number": 64})"));
}

}  // namespace
}  // namespace yoke::launch

#include "yoke/launch/message.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "yoke/core/error.h"

namespace yoke::launch {
namespace {

/// In the order of Message.
constexpr std::array<const char*, std::variant_size_v<Message>> kTypes = {
    "join",   "failed",  "ended", "leave", "beat",   "welcome",
    "refuse", "unknown", "start", "stop",  "signal", "finish"};

template <std::size_t kIndex = 0>
Message decode_type(const std::string& type, const nlohmann::json& json) {
  if constexpr (kIndex < kTypes.size()) {
    if (type != kTypes[kIndex]) return decode_type<kIndex + 1>(type, json);
    using Type = std::variant_alternative_t<kIndex, Message>;
    if constexpr (std::is_empty_v<Type>) {
      return Type();
    } else {
      return json.get<Type>();
    }
  } else {
    throw Error(fmt::format("no message has the type '{}'", type));
  }
}

}  // namespace

std::string encode(const Message& message) {
  nlohmann::json json = nlohmann::json::object();
  std::visit(
      [&json]<typename Type>(const Type& value) {
        if constexpr (!std::is_empty_v<Type>) json = value;
      },
      message);
  json["type"] = kTypes[message.index()];
  // What ranks print need not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Message decode(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return decode_type(json.at("type").get<std::string>(), json);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a message: {}", error.what()));
  }
}

}  // namespace yoke::launch

#include "yoke/launch/rendezvous/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

#include "yoke/core/error.h"

namespace yoke::launch {
namespace {

/// In the order of Message.
constexpr std::array<const char*, std::variant_size_v<Message>> kTypes = {
    "join",   "failed",  "ended", "leave", "beat",   "welcome",
    "refuse", "unknown", "start", "stop",  "signal", "finish"};

/// What a number of some field may be. Before it is read: one that does not fit the field's type is
/// undefined.
struct Range {
  std::string_view field;
  double least, most;
  bool whole = true;
};

constexpr double kMostInt = std::numeric_limits<int>::max();
constexpr double kMostProcesses = 1 << 20;
constexpr double kMostStatus = 255, kMostSignal = 64;
constexpr double kMostSeconds = 1e12, kMostGrace = 1e9;
constexpr Range kRanges[] = {
    {"attempt", 0, kMostInt},
    {"exit_code", -1000, kMostStatus},
    {"exits", -1000, kMostStatus},
    {"first_rank", 0, kMostInt},
    {"grace_seconds", 0, kMostGrace, false},
    {"group_rank", 0, kMostProcesses},
    {"local_rank", -1, kMostProcesses},
    {"master_port", 0, 65535},
    {"node_rank", -1, kMostProcesses},
    {"now", 0, kMostSeconds, false},
    {"number", 1, kMostSignal},
    {"pid", 0, kMostInt},
    {"port", 0, 65535},
    {"processes", 1, kMostProcesses},
    {"rank", -1, kMostInt},
    {"ranks", 0, kMostProcesses},
    {"restarts", 0, kMostInt},
    {"signal", 1, kMostSignal},
    {"status", 0, kMostStatus},
    {"time", 0, kMostSeconds, false},
    {"world_size", 1, kMostInt},
};

/// @throws Error unless every number in `json`, which `field` holds, is in its range.
void check_numbers(const nlohmann::json& json, std::string_view field, int depth = 0) {
  constexpr int kMostDepth = 8;
  if (depth > kMostDepth) throw Error("no message is nested so deeply");
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) check_numbers(value, key, depth + 1);
  } else if (json.is_array()) {
    for (const auto& value : json) check_numbers(value, field, depth + 1);
  } else if (json.is_number()) {
    const auto* const range =
        std::find_if(std::begin(kRanges), std::end(kRanges),
                     [field](const Range& each) { return each.field == field; });
    const auto value = json.get<double>();
    const bool known = range != std::end(kRanges);
    if (known && value >= range->least && value <= range->most &&
        (!range->whole || json.is_number_integer())) {
      return;
    }
    throw Error(known ? fmt::format("{} is {}; allowed: {} to {}", field, json.dump(), range->least,
                                    range->most)
                      : fmt::format("no message has a number '{}'", field));
  }
}

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
    check_numbers(json, "");
    return decode_type(json.at("type").get<std::string>(), json);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not a message: {}", error.what()));
  }
}

}  // namespace yoke::launch

#include "yoke/launch/agent/error_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"

namespace yoke::launch {
namespace {

constexpr const char* kMessage = "message";
constexpr const char* kExtraInfo = "extraInfo";
constexpr const char* kTimestamp = "timestamp";
constexpr double kLatest = 253402300799;  // the last second of the year 9999

/// A number, or text that holds one, of a time; else 0.
double time_of(const nlohmann::json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return parse_number<double>(text, 0, kLatest).value_or(0);
}

}  // namespace

void write_rank_error(const std::filesystem::path& path, const RankError& error) {
  const nlohmann::json json = {{kMessage,
                                {{kMessage, error.message},
                                 {kExtraInfo, {{kTimestamp, fmt::format("{:.6f}", error.time)}}}}}};
  write_file(path, json.dump() + "\n");
}

RankError read_rank_error(const std::filesystem::path& path) {
  const auto content = nlohmann::json::parse(read_file(path));
  const auto& message = content.at(kMessage);
  if (message.is_string()) return {.message = message.get<std::string>()};
  return {.message = message.at(kMessage).get<std::string>(),
          .time = time_of(message.at(kExtraInfo).at(kTimestamp))};
}

}  // namespace yoke::launch

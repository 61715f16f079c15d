// yoke/comm/received.h: text that came from another process, which may be none of Yoke's.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "yoke/core/error.h"

namespace yoke {

/// What came from another process is not what it should be: it says what came.
class Garbled final : public CommError {
 public:
  using CommError::CommError;
};

/// The beginning of `text` between quotation marks, in characters that can be printed.
std::string excerpt(std::string_view text);

/// The whole number that `json` is. @throws Error where it is none, or outside [least, most].
std::int64_t whole_number(const nlohmann::json& json, std::int64_t least, std::int64_t most);

/// JSON that is not nested deeply. @throws Error where `text` is none.
nlohmann::json parse_shallow_json(const std::string& text);

/// What `read` makes of the JSON in `text`. @throws Garbled, which begins with `what` and quotes
/// the text, where it is none or `read` finds something else in it than it needs.
template <typename Read>
auto read_received(const std::string& text, const std::string& what, const Read& read) {
  const auto garbled = [&](const std::exception& error) {
    return Garbled(what + ": " + error.what() + "; received " + excerpt(text));
  };
  try {
    return read(parse_shallow_json(text));
  } catch (const nlohmann::json::exception& error) {
    throw garbled(error);
  } catch (const Error& error) {
    throw garbled(error);
  }
}

}  // namespace yoke

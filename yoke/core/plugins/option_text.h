// yoke/core/plugins/option_text.h: the text of a choice, `name:key=value,key=value`, in parts.
#pragma once
#include <string>
#include <string_view>

namespace yoke {

/// Takes what comes before the first comma, and the comma, off `text`; a comma in a value is
/// written `\,`, a backslash before one `\\`.
std::string take_pair(std::string_view& text);

/// The choice `text` with `value` as that of its option `key`, in place of one that it has.
std::string with_option(std::string_view text, std::string_view key, std::string_view value);

}  // namespace yoke

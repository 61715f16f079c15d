// yoke/core/split.h: text in parts.
#pragma once
#include <string_view>
#include <vector>

namespace yoke {

/// The parts of `text` between separators, empty ones too: one more than there are separators. They
/// point into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace yoke

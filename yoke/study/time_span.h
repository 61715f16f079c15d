// yoke/study/time_span.h: limits of time as text.
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

namespace yoke::study {

/// `90s`, `30min`, `1.5h`; nothing for other text, or a time of 0 or less.
std::optional<std::chrono::duration<double>> parse_time_span(std::string_view text);

}  // namespace yoke::study

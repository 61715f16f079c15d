#include "yoke/study/time_span.h"

#include <charconv>

namespace yoke::study {

std::optional<std::chrono::duration<double>> parse_time_span(std::string_view text) {
  double count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  if (error != std::errc() || !(count > 0)) return std::nullopt;
  if (unit == "s") return std::chrono::duration<double>(count);
  if (unit == "min") return std::chrono::duration<double>(60 * count);
  if (unit == "h") return std::chrono::duration<double>(3600 * count);
  return std::nullopt;
}

}  // namespace yoke::study

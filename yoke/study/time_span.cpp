#include "yoke/study/time_span.h"

#include "yoke/core/parse_number.h"

namespace yoke::study {

std::optional<std::chrono::duration<double>> parse_time_span(std::string_view text) {
  const double count = take_number<double>(text).value_or(0);
  if (!(count > 0)) return std::nullopt;
  if (text == "s") return std::chrono::duration<double>(count);
  if (text == "min") return std::chrono::duration<double>(60 * count);
  if (text == "h") return std::chrono::duration<double>(3600 * count);
  return std::nullopt;
}

}  // namespace yoke::study

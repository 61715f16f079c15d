#include "yoke/train/config/step_range.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke {

StepRange StepRange::parse(std::string_view text, std::string_view flag) {
  const auto ends = split(text, ':');
  const auto first = parse_number<std::int64_t>(ends.front(), 1);
  const auto last = parse_number<std::int64_t>(ends.back(), 1);
  if (ends.size() == 2 && first && last && *first <= *last) return {*first, *last};
  throw UsageError(
      fmt::format("{} is '{}'; allowed: the first and the last of some steps, counted "
                  "from 1, as 10:20",
                  flag, text));
}

std::string StepRange::str() const { return fmt::format("{}:{}", first, last); }

}  // namespace yoke

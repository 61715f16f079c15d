// yoke/train/config/step_range.h: some steps of a run.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace yoke {

/// Steps, counted from 1 over the whole run; both ends are among them.
struct StepRange {
  std::int64_t first = 1, last = 1;

  /// Parses `10:20`. `flag` is for messages. @throws UsageError on anything else.
  static StepRange parse(std::string_view text, std::string_view flag);
  std::string str() const;
};

}  // namespace yoke

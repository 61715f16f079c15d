#include "yoke/study/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "yoke/core/format.h"

namespace yoke::study {

std::string in_seconds(double seconds) {
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.0f} s ({})", seconds, format_duration(seconds));
}

std::string in_percent(double fraction) { return fmt::format("{:.2f} %", 100 * fraction); }

std::string in_thousands(double number) {
  std::string digits = fmt::format("{:.0f}", std::abs(number));
  for (auto place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  if (number < 0) digits.insert(digits.begin(), '-');
  return digits;
}

std::string in_words(double p) {
  return p < 0.001 ? std::string("p < 0.001") : fmt::format("p = {:.2g}", p);
}

std::string in_words(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  if (names.size() > kMost) {
    const std::size_t more = names.size() - kMost + 1;
    names.resize(kMost - 1);
    names.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

std::string spread(const Sample& sample, std::string (*unit)(double)) {
  if (sample.n < 2) return unit(sample.median);
  return fmt::format("median {} ({} to {}, n = {})", unit(sample.median), unit(sample.least),
                     unit(sample.most), sample.n);
}

Unit unit_of_time(double most_seconds) {
  if (most_seconds > 3 * 3600) return {3600, "h"};
  if (most_seconds > 20 * 60) return {60, "min"};
  return {1, "s"};
}

Unit unit_of_bytes(double most_bytes) {
  if (most_bytes >= 1e9) return {1e9, "GB"};
  if (most_bytes >= 1e6) return {1e6, "MB"};
  if (most_bytes >= 1e3) return {1e3, "kB"};
  return {1, "B"};
}

}  // namespace yoke::study

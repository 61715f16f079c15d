// yoke/study/report/words.h: numbers as files and reports write them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/study/findings/statistics.h"

namespace yoke::study {

/// `0.42 s`, `12.3 s`, `451 s (0:07:31)`.
std::string in_seconds(double seconds);
/// A fraction as `98.95 %`.
std::string in_percent(double fraction);
/// With commas: `23,146`.
std::string in_thousands(double number);
/// `p = 0.013`, `p < 0.001`.
std::string in_words(double p);
/// `first; second; and 3 more`: a few of many names.
std::string in_words(std::vector<std::string> names);
/// `median 12.3 s (12.1 s to 12.9 s, n = 3)`, or the value alone for n = 1.
std::string spread(const Sample& sample, std::string (*unit)(double));

/// A unit for numbers up to `most`.
struct Unit {
  double divisor = 1;
  std::string name;
};
Unit unit_of_time(double most_seconds);
Unit unit_of_bytes(double most_bytes);

}  // namespace yoke::study

#include "yoke/core/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace yoke {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);  // of the table, for prefixes of a
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view given, const std::vector<std::string>& names) {
  std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
  std::string nearest;
  for (const auto& name : names) {
    const std::size_t found = distance(given, name);
    if (found >= least) continue;
    least = found;
    nearest = name;
  }
  return nearest;
}

std::string suggest(std::string_view given, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(given, names);
  if (!nearest.empty()) return fmt::format("did you mean '{}'?", nearest);
  if (names.empty()) return "allowed: none";
  return fmt::format("allowed: {}", fmt::join(names, ", "));
}

}  // namespace yoke

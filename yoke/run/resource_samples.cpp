#include "yoke/run/resource_samples.h"

#include <fmt/format.h>

#include "yoke/core/files/file.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

constexpr std::string_view kFirstColumn = "seconds,";
constexpr std::size_t kLeading = 2;       // fields before those of kResourceColumns
constexpr std::size_t kFewestFields = 8;  // that any version has written

}  // namespace

std::string resources_header() {
  std::string header = fmt::format("{}rank", kFirstColumn);
  for (const auto& column : kResourceColumns) header += fmt::format(",{}", column.name);
  return header + "\n";
}

std::string to_line(const ResourceSample& sample) {
  std::string line = fmt::format("{:.3f},{}", sample.seconds, sample.rank);
  for (const auto& column : kResourceColumns) {
    const auto& value = sample.*column.field;
    line += value ? fmt::format(",{:.{}f}", *value, column.decimals) : ",";
  }
  return line + "\n";
}

Lines<ResourceSample> read_resources(const std::filesystem::path& path) {
  Lines<ResourceSample> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    if (line.starts_with(kFirstColumn)) continue;
    const auto fields = split(line, ',');
    const auto seconds = parse_number<double>(fields[0]);
    const auto rank = fields.size() >= kFewestFields ? parse_number<int>(fields[1]) : std::nullopt;
    if (!seconds || !rank) {
      ++result.damaged;
      continue;
    }
    auto& sample = result.lines.emplace_back();
    sample.seconds = *seconds;
    sample.rank = *rank;
    for (std::size_t i = 0; i < kResourceColumns.size() && kLeading + i < fields.size(); ++i) {
      sample.*kResourceColumns[i].field = parse_number<double>(fields[kLeading + i]);
    }
  }
  return result;
}

}  // namespace yoke

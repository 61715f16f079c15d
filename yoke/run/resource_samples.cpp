#include "yoke/run/resource_samples.h"

#include <fmt/format.h>

#include "yoke/core/files/file.h"

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
    const auto fields = fields_of(line);
    const auto seconds = number_of(fields[0]);
    const auto rank = fields.size() >= kFewestFields ? number_of(fields[1]) : std::nullopt;
    if (!seconds || !rank) {
      ++result.damaged;
      continue;
    }
    auto& sample = result.lines.emplace_back();
    sample.seconds = *seconds;
    sample.rank = static_cast<int>(*rank);
    for (std::size_t i = 0; i < kResourceColumns.size() && kLeading + i < fields.size(); ++i) {
      sample.*kResourceColumns[i].field = number_of(fields[kLeading + i]);
    }
  }
  return result;
}

}  // namespace yoke

#include "yoke/study/run_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "yoke/core/file.h"
#include "yoke/study/words.h"

namespace yoke::study {
namespace {

/// The lines of `text` that have an end.
std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (auto comma = line.find(','); comma != std::string_view::npos; comma = line.find(',')) {
    fields.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(line);
  return fields;
}

/// NaN where the file has null, as of a loss that was not finite.
double number_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return 0;
  return found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::int64_t count_in(const nlohmann::json& json, const char* key) {
  const double count = number_in(json, key);
  return std::isfinite(count) ? static_cast<std::int64_t>(count) : 0;
}

Metrics metrics_of(const nlohmann::json& json) {
  return {.step = count_in(json, "step"),
          .epoch = number_in(json, "epoch"),
          .seconds = number_in(json, "seconds"),
          .split = json.at("split"),
          .loss = number_in(json, "loss"),
          .top1 = number_in(json, "top1"),
          .top5 = number_in(json, "top5"),
          .lr = number_in(json, "lr"),
          .images_per_second = number_in(json, "images_per_second"),
          .data_wait_seconds = number_in(json, "data_wait_seconds"),
          .compute_seconds = number_in(json, "compute_seconds"),
          .communication_seconds = number_in(json, "communication_seconds"),
          .communication_bytes = count_in(json, "communication_bytes")};
}

}  // namespace

Lines<Metrics> read_metrics(const std::filesystem::path& path) {
  Lines<Metrics> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.contains("step") && json.contains("split") &&
        json.at("split").is_string()) {
      result.lines.push_back(metrics_of(json));
    } else {
      ++result.damaged;
    }
  }
  return result;
}

Lines<ResourceSample> read_resources(const std::filesystem::path& path) {
  constexpr std::size_t kFields = 8;
  Lines<ResourceSample> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    if (line.starts_with("seconds,")) continue;
    const auto fields = fields_of(line);
    const auto seconds = as_number(fields[0]);
    const auto rank = fields.size() >= kFields ? as_number(fields[1]) : std::nullopt;
    if (!seconds || !rank) {
      ++result.damaged;
      continue;
    }
    result.lines.push_back({.seconds = *seconds,
                            .rank = static_cast<int>(*rank),
                            .cpu_percent = as_number(fields[2]),
                            .rss_bytes = as_number(fields[3]),
                            .disk_read_bytes = as_number(fields[4]),
                            .disk_write_bytes = as_number(fields[5]),
                            .network_receive_bytes = as_number(fields[6]),
                            .network_send_bytes = as_number(fields[7])});
  }
  return result;
}

Lines<Phase> read_phases(const std::filesystem::path& path, double end_seconds) {
  Lines<Phase> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    if (line.starts_with("seconds,")) continue;
    const auto fields = fields_of(line);
    const auto seconds = as_number(fields[0]);
    if (!seconds || fields.size() != 2) {
      ++result.damaged;
      continue;
    }
    if (!result.lines.empty()) result.lines.back().end = *seconds;
    result.lines.push_back({.name = std::string(fields[1]),
                            .begin = *seconds,
                            .end = std::max(*seconds, end_seconds)});
  }
  std::erase_if(result.lines, [](const Phase& phase) { return phase.name == "ended"; });
  return result;
}

}  // namespace yoke::study

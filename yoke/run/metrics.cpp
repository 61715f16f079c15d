#include "yoke/run/metrics.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"

namespace yoke {
namespace {

bool is_report(const nlohmann::json& json) {
  return json.is_object() && json.contains("step") && json.at("step").is_number_integer() &&
         json.contains("split") && json.at("split").is_string();
}

/// The lines of `text` that are whole reports of steps up to `last_step`.
std::string reports_until(const std::string& text, std::int64_t last_step) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto report = nlohmann::json::parse(line, nullptr, false);  // a killed run tears a line
    if (is_report(report) && report.at("step") <= last_step) kept += line + "\n";
  }
  return kept;
}

void take(const nlohmann::json& json, std::string& field) {
  if (json.is_string()) field = json.get<std::string>();
}

void take(const nlohmann::json& json, double& field) {
  field = json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void take(const nlohmann::json& json, std::int64_t& field) {
  if (json.is_number_integer()) field = json.get<std::int64_t>();
}

void take(const nlohmann::json& json, std::vector<double>& field) {
  if (!json.is_array()) return;
  for (const auto& number : json) take(number, field.emplace_back());
}

/// Whether a report has something to say there.
template <typename Field>
bool says(const Field&) {
  return true;
}
bool says(const std::vector<double>& field) { return !field.empty(); }

}  // namespace

MetricsFile::MetricsFile(const std::filesystem::path& path,
                         std::optional<std::int64_t> resume_step) {
  if (resume_step && std::filesystem::exists(path)) {
    write_file(path, reports_until(read_file(path), *resume_step));
  }
  file_.emplace(path);
}

void MetricsFile::write(const Metrics& metrics) {
  nlohmann::ordered_json report;
  Metrics::visit(metrics, [&](const char* name, const auto& field) {
    if (says(field)) report[name] = field;
  });
  file_->add(report.dump() + "\n");
  file_->flush();
}

Lines<Metrics> read_metrics(const std::filesystem::path& path) {
  Lines<Metrics> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!is_report(json)) {
      ++result.damaged;
      continue;
    }
    Metrics::visit(result.lines.emplace_back(), [&](const char* name, auto& field) {
      if (const auto found = json.find(name); found != json.end()) take(*found, field);
    });
  }
  return result;
}

}  // namespace yoke

#include "yoke/run/summary.h"

#include <limits>

#include "yoke/core/files/file.h"

namespace yoke {
namespace {

/// Numbers and texts of `json` under their names; what is inside an object as `name.inner`, unless
/// that lies deeper than any run writes it.
void flatten(const nlohmann::json& json, const std::string& prefix, RunSummary& summary,
             int depth = 0) {
  constexpr int kMostDepth = 8;
  for (const auto& [name, value] : json.items()) {
    const std::string whole = prefix + name;
    if (value.is_number()) summary.numbers[whole] = value.get<double>();
    if (value.is_string()) summary.texts[whole] = value.get<std::string>();
    if (value.is_object() && depth < kMostDepth) flatten(value, whole + ".", summary, depth + 1);
  }
}

std::vector<double> numbers_of(const nlohmann::json& array) {
  std::vector<double> numbers;
  for (const auto& value : array) {
    numbers.push_back(value.is_number() ? value.get<double>()
                                        : std::numeric_limits<double>::quiet_NaN());
  }
  return numbers;
}

}  // namespace

void write_summary(const std::filesystem::path& path, const nlohmann::ordered_json& summary) {
  write_file(path, summary.dump(2) + "\n");
}

std::optional<RunSummary> read_summary(const std::filesystem::path& path) {
  const auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto array = [&](const char* name) { return json.value(name, nlohmann::json::array()); };
  RunSummary summary;
  flatten(json, "", summary);
  summary.status = summary.texts[key::kStatus];
  for (const auto& name : array(key::kClasses)) {
    if (name.is_string()) summary.classes.push_back(name.get<std::string>());
  }
  summary.per_class_accuracy = numbers_of(array(key::kPerClassAccuracy));
  for (const auto& row : array(key::kConfusion)) summary.confusion.push_back(numbers_of(row));
  summary.confidence_bins = confidence_bins_from(array(key::kConfidenceBins));
  return summary;
}

bool has_completed(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return false;
  const auto summary = read_summary(path);
  return summary && summary->status == run_status::kCompleted;
}

}  // namespace yoke

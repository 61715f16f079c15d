#include "yoke/study/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/file.h"
#include "yoke/core/recipe.h"
#include "yoke/study/run_files.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

/// Numbers and texts of `json` under their names; what is inside an object as `name.inner`.
void flatten(const nlohmann::json& json, const std::string& prefix, RunRecord& run) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix + key;
    if (value.is_number()) run.numbers[name] = value.get<double>();
    if (value.is_string()) run.texts[name] = value.get<std::string>();
    if (value.is_object()) flatten(value, name + ".", run);
  }
}

double number_or_nan(const nlohmann::json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> numbers_of(const nlohmann::json& array) {
  std::vector<double> numbers;
  for (const auto& value : array) numbers.push_back(number_or_nan(value));
  return numbers;
}

void take_summary(const nlohmann::json& json, RunRecord& run) {
  flatten(json, "", run);
  run.status = run.text("status");
  for (const auto& name : json.value("classes", nlohmann::json::array())) {
    if (name.is_string()) run.classes.push_back(name.get<std::string>());
  }
  run.per_class_accuracy = numbers_of(json.value("per_class_accuracy", nlohmann::json::array()));
  for (const auto& row : json.value("confusion", nlohmann::json::array())) {
    run.confusion.push_back(numbers_of(row));
  }
}

void read_summary(const fs::path& path, RunRecord& run) {
  run.status = "unfinished";
  if (!fs::exists(path)) {
    run.remarks.push_back(
        "summary.json is missing: the run goes on, or was killed. Its totals are those of its "
        "reports so far.");
    return;
  }
  const auto json = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    take_summary(json, run);
  } else {
    run.remarks.push_back("summary.json is damaged and was left out.");
  }
}

void read_config(const fs::path& path, RunRecord& run) {
  if (!fs::exists(path)) {
    run.remarks.push_back("config.toml is missing.");
    return;
  }
  try {
    for (const auto& entry : read_recipe(path)) run.config[entry.key] = entry.value;
  } catch (const Error& error) {
    run.remarks.push_back(fmt::format("config.toml was left out: {}.", error.what()));
  }
}

/// The lines of a file that may be absent; says so in the remarks.
template <typename Read>
auto read_lines(const fs::path& path, const char* absent, RunRecord& run, const Read& read) {
  decltype(read(path).lines) lines;
  const std::string name = path.filename().string();
  if (!fs::exists(path)) {
    run.remarks.push_back(fmt::format("{} is missing{}.", name, absent));
    return lines;
  }
  auto found = read(path);
  if (found.damaged > 0) {
    run.remarks.push_back(fmt::format("{}: {} damaged lines were left out.", name, found.damaged));
  }
  return std::move(found.lines);
}

/// The latest moment that any file tells of.
double last_second(const RunRecord& run) {
  double last = run.number("wall_seconds").value_or(0);
  for (const auto* const reports : {&run.training, &run.validation}) {
    if (!reports->empty()) last = std::max(last, reports->back().seconds);
  }
  for (const auto& sample : run.resources) last = std::max(last, sample.seconds);
  return last;
}

/// Totals that an unfinished run has not written yet.
void add_totals(RunRecord& run) {
  const auto add = [&](const char* name, double value) {
    if (std::isfinite(value)) run.numbers.emplace(name, value);
  };
  double data_wait = 0, compute = 0, communication = 0, evaluation = 0;
  for (const auto& report : run.training) {
    data_wait += report.data_wait_seconds;
    compute += report.compute_seconds;
    communication += report.communication_seconds;
  }
  for (const auto& report : run.validation) evaluation += report.compute_seconds;
  if (!run.training.empty()) {
    const Metrics& last = run.training.back();
    add("communication_seconds", communication);
    add("data_wait_seconds", data_wait);
    add("train_seconds", data_wait + compute + communication);
    add("evaluate_seconds", evaluation);
    add("steps", static_cast<double>(last.step));
    add("epochs", last.epoch);
    add("images_per_second", last.images_per_second);
    add("final_train_loss", last.loss);
  }
  if (!run.validation.empty()) {
    add("val_top1", run.validation.back().top1);
    add("val_loss", run.validation.back().loss);
  }
  add("wall_seconds", last_second(run));
  for (const auto& [key, value] : run.config) run.texts.emplace(key, value);
}

}  // namespace

std::optional<double> RunRecord::number(const std::string& name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string RunRecord::text(const std::string& name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

std::string RunRecord::class_name(std::size_t number) const {
  return number < classes.size() ? classes[number] : fmt::format("{}", number);
}

RunRecord read_run(const fs::path& path) {
  if (!fs::exists(path / "metrics.jsonl") && !fs::exists(path / "summary.json") &&
      !fs::exists(path / "config.toml")) {
    throw UsageError(fmt::format(
        "{} is no run directory: it has neither config.toml nor metrics.jsonl nor summary.json; "
        "give the folder that yoke train names as 'results'",
        path.string()));
  }
  RunRecord run;
  run.path = path;
  read_config(path / "config.toml", run);
  read_summary(path / "summary.json", run);
  for (auto& report : read_lines(path / "metrics.jsonl", "", run, read_metrics)) {
    (report.split == "val" ? run.validation : run.training).push_back(std::move(report));
  }
  run.resources = read_lines(path / "resources.csv", ": --resources was off, or it never began",
                             run, read_resources);
  const double end = last_second(run);
  run.phases = read_lines(path / "phases.csv", ", so no phases are marked", run,
                          [&](const fs::path& file) { return read_phases(file, end); });
  add_totals(run);
  return run;
}

}  // namespace yoke::study

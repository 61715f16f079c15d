#include "yoke/run/run_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/recipe.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

void take(const RunSummary& summary, RunResults& run) {
  run.status = summary.status;
  run.numbers = summary.numbers;
  run.texts = summary.texts;
  run.classes = summary.classes;
  run.per_class_accuracy = summary.per_class_accuracy;
  run.confusion = summary.confusion;
  run.confidence_bins = summary.confidence_bins;
}

void take_summary(const fs::path& path, RunResults& run) {
  run.status = "unfinished";
  if (!fs::exists(path)) {
    run.remarks.emplace_back(
        "summary.json is missing: the run goes on, or was killed. Its totals are those of its "
        "reports so far.");
  } else if (const auto summary = read_summary(path)) {
    take(*summary, run);
  } else {
    run.remarks.emplace_back("summary.json is damaged and was left out.");
  }
}

void read_config(const fs::path& path, RunResults& run) {
  if (!fs::exists(path)) {
    run.remarks.emplace_back("config.toml is missing.");
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
auto read_lines(const fs::path& path, const char* absent, RunResults& run, const Read& read) {
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
double last_second(const RunResults& run) {
  double last = run.number(key::kWallSeconds).value_or(0);
  for (const auto* const reports : {&run.training, &run.validation}) {
    if (!reports->empty()) last = std::max(last, reports->back().seconds);
  }
  for (const auto& sample : run.resources) last = std::max(last, sample.seconds);
  return last;
}

/// Totals that an unfinished run has not written yet.
void add_totals(RunResults& run) {
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
    add(key::kCommunicationSeconds, communication);
    add(key::kDataWaitSeconds, data_wait);
    add(key::kTrainSeconds, data_wait + compute + communication);
    add(key::kEvaluateSeconds, evaluation);
    add(key::kSteps, static_cast<double>(last.step));
    add(key::kEpochs, last.epoch);
    add(key::kImagesPerSecond, last.images_per_second);
    add(key::kFinalTrainLoss, last.loss);
  }
  if (!run.validation.empty()) {
    add(key::kValTop1, run.validation.back().top1);
    add(key::kValLoss, run.validation.back().loss);
  }
  add(key::kWallSeconds, last_second(run));
  for (const auto& [key, value] : run.config) run.texts.emplace(key, value);
}

}  // namespace

std::optional<double> RunResults::number(const std::string& name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string RunResults::text(const std::string& name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

std::string RunResults::class_name(std::size_t number) const {
  return number < classes.size() ? classes[number] : fmt::format("{}", number);
}

RunResults read_run(const fs::path& path) {
  const RunDirectory files{path};
  if (!fs::exists(files.metrics()) && !fs::exists(files.summary()) && !fs::exists(files.config())) {
    throw UsageError(fmt::format(
        "{} is no run directory: it has neither config.toml nor metrics.jsonl nor summary.json; "
        "give the folder that yoke train names as 'results'",
        path.string()));
  }
  RunResults run;
  run.path = path;
  read_config(files.config(), run);
  take_summary(files.summary(), run);
  for (auto& report : read_lines(files.metrics(), "", run, read_metrics)) {
    (report.split == "val" ? run.validation : run.training).push_back(std::move(report));
  }
  run.resources = read_lines(files.resources(), ": --resources was off, or it never began", run,
                             read_resources);
  const double end = last_second(run);
  run.phases = read_lines(files.phases(), ", so no phases are marked", run,
                          [&](const fs::path& file) { return read_phases(file, end); });
  if (fs::exists(files.predictions())) {  // at the end, and of pictures alone
    run.predictions = read_lines(files.predictions(), "", run, read_image_predictions);
  }
  add_totals(run);
  return run;
}

}  // namespace yoke

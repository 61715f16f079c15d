#include "yoke/study/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "yoke/core/format.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"
#include "yoke/study/findings/findings.h"
#include "yoke/study/findings/numbers.h"
#include "yoke/study/findings/pairs.h"
#include "yoke/study/findings/point_tests.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

bool has_run(const Job& job) {
  return std::filesystem::exists(RunDirectory{job.directory}.config());
}

/// What a point is told apart by, beside what the files of its runs say.
Settings extra_of(const Job& job, bool nodes_vary) {
  Settings extra;
  if (!job.point->case_name.empty()) extra["case"] = job.point->case_name;
  if (nodes_vary) extra["ranks per node"] = fmt::format("{}", job.point->ranks);
  for (const auto& [axis, value] : job.point->axes) {
    if (is_silent(axis)) extra[axis] = value;  // else it would not be a point of its own
  }
  return extra;
}

/// The first case of a study of cases alone, as one leaves out or adds parts of a recipe.
std::string base_of(const std::vector<Job>& jobs, const Comparison& comparison) {
  if (comparison.axes != std::vector<std::string>{"case"}) return "";
  return label_of({{"case", jobs.front().point->case_name}});
}

std::string not_run(const Job& job, const std::vector<Skipped>& skipped) {
  const bool here = std::any_of(skipped.begin(), skipped.end(),
                                [&](const Skipped& each) { return each.point == job.point->name; });
  return here ? "skipped" : "not begun";
}

nlohmann::ordered_json json_of(const TestedPoint& point) {
  const Sample& sample = point.sample;
  nlohmann::ordered_json json = {{"point", point.label},  {"runs", point.runs},
                                 {"n", sample.n},         {"median", sample.median},
                                 {"least", sample.least}, {"most", sample.most},
                                 {"mean", sample.mean}};
  json["deviation"] =
      sample.n < 2 ? nlohmann::ordered_json() : nlohmann::ordered_json(sample.deviation);
  if (sample.interval) {
    json["interval_95"] = {sample.interval->first, sample.interval->second};
  } else {
    json["interval_95"] = nullptr;
  }
  json["ratio_to_best"] = point.difference.ratio;
  json["welch_p"] =
      point.difference.p ? nlohmann::ordered_json(*point.difference.p) : nlohmann::ordered_json();
  json["holm_p"] = point.holm_p ? nlohmann::ordered_json(*point.holm_p) : nlohmann::ordered_json();
  json["verdict"] = point.verdict;
  return json;
}

std::string markdown_row(const TestedPoint& point) {
  const Sample& sample = point.sample;
  const std::string interval =
      sample.interval
          ? fmt::format("{:.5g} to {:.5g}", sample.interval->first, sample.interval->second)
          : "";
  const std::string n =
      point.whole() ? fmt::format("{}", sample.n) : fmt::format("{} of {}", sample.n, point.runs);
  return fmt::format("| {} | {} | {:.5g} | {:.5g} to {:.5g} | {} | {} | {} | {} |\n", point.label,
                     n, sample.median, sample.least, sample.most, interval,
                     point.whole() ? fmt::format("{:.3f}", point.difference.ratio) : "",
                     point.holm_p ? in_words(*point.holm_p) : "", point.verdict);
}

nlohmann::ordered_json json_of(const PairedPoint& point) {
  const auto& [n, median, least, most, mean, deviation, interval] = point.difference;
  nlohmann::ordered_json json = {{"point", point.label}, {"n", n},       {"median", median},
                                 {"least", least},       {"most", most}, {"mean", mean}};
  if (interval) json["interval_95"] = {interval->first, interval->second};
  return json;
}

/// Nothing where there is no base.
std::string markdown_pairs(const Comparison& comparison, const Number& number) {
  const auto points = pair_points(comparison, number.name, number.less_is_better);
  if (points.empty()) return "";
  std::string text = fmt::format(
      "\nLess what '{}' has with the same seed:\n\n| point | pairs | least to most | mean | 95 % "
      "of "
      "the mean |\n| - | - | - | - | - |\n",
      comparison.base);
  for (const auto& [label, difference] : points) {
    text += fmt::format("| {} | {} | {:+.4g} to {:+.4g} | {:+.4g} | {} |\n", label, difference.n,
                        difference.least, difference.most, difference.mean,
                        difference.interval
                            ? fmt::format("{:+.4g} to {:+.4g}", difference.interval->first,
                                          difference.interval->second)
                            : "");
  }
  return text;
}

}  // namespace

std::optional<Comparison> completed_points(const std::vector<Job>& jobs) {
  std::set<int> nodes;
  for (const auto& job : jobs) nodes.insert(job.point->nodes);
  std::vector<NamedRun> runs;
  for (const auto& job : jobs) {
    if (job.counts && has_run(job) && is_done(job)) {
      runs.push_back({read_run(job.directory), extra_of(job, nodes.size() > 1)});
    }
  }
  if (runs.empty()) return std::nullopt;
  Comparison comparison = compare_runs(std::move(runs));
  comparison.base = base_of(jobs, comparison);
  return comparison;
}

std::string study_csv(const std::vector<Job>& jobs, const std::vector<Skipped>& skipped) {
  constexpr std::array kColumns = {key::kTrainSeconds,
                                   key::kWallSeconds,
                                   key::kEvaluateSeconds,
                                   key::kCheckpointSeconds,
                                   key::kDataWaitSeconds,
                                   key::kCommunicationSeconds,
                                   key::kImagesPerSecond,
                                   key::kEpochs,
                                   key::kSteps,
                                   key::kBatchSize,
                                   key::kWorldSize,
                                   key::kFinalTrainLoss,
                                   key::kValLoss,
                                   key::kValTop1,
                                   key::kValTop5,
                                   key::kRankValTop1Least,
                                   key::kRankValTop1Mean,
                                   key::kRankValTop1Most,
                                   key::kTimeToTargetSeconds,
                                   key::kCommunicationBytes,
                                   key::kPeakRssBytes,
                                   key::kCpuSeconds};
  std::set<std::string> axes;
  for (const auto& job : jobs) {
    for (const auto& [name, value] : job.point->axes) axes.insert(name);
  }
  std::string csv = "point,case";
  for (const auto& axis : axes) csv += fmt::format(",{}", csv_field(axis));
  csv += ",repetition,seed,status";
  for (const char* const column : kColumns) csv += fmt::format(",{}", column);
  csv += "\n";
  for (const auto& job : jobs) {
    if (!job.counts) continue;
    csv += fmt::format("{},{}", csv_field(job.point->name), csv_field(job.point->case_name));
    for (const auto& axis : axes) {
      const auto value = job.point->axes.find(axis);
      csv += fmt::format(",{}", value == job.point->axes.end() ? "" : csv_field(value->second));
    }
    std::optional<RunResults> run;
    if (has_run(job)) run = read_run(job.directory);
    csv += fmt::format(",{},{},{}", job.repetition, job.seed,
                       run ? run->status : not_run(job, skipped));
    for (const char* const column : kColumns) {
      const auto value = run ? run->number(column) : std::nullopt;
      csv += value ? fmt::format(",{:.9g}", *value) : ",";
    }
    csv += "\n";
  }
  return csv;
}

std::string summary_json(const std::string& title, const Comparison& comparison) {
  nlohmann::ordered_json json = {{"title", title}, {"axes", comparison.axes}};
  if (!comparison.base.empty()) json["base"] = comparison.base;
  for (const auto& number : kNumbers) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const auto& point : test_points(comparison, number.name, number.less_is_better)) {
      points.push_back(json_of(point));
    }
    if (!points.empty()) json["numbers"][number.name] = points;
    for (const auto& point : pair_points(comparison, number.name, number.less_is_better)) {
      json["less_base"][number.name].push_back(json_of(point));
    }
  }
  return json.dump(2) + "\n";
}

std::string summary_markdown(const std::string& title, const Comparison& comparison) {
  std::string text = fmt::format("# {}\n\n", title);
  for (const auto& sentence : comparison_findings(comparison)) text += sentence + "\n";
  for (const auto& sentence : scaling_findings(comparison)) text += sentence + "\n";
  text +=
      "\nIntervals are of the mean, by Student's t. Tests compare each point with the best by "
      "Welch's t, with Holm's\ncorrection over the points of a table, at the level 0.05.\n";
  for (const auto& number : kNumbers) {
    const auto points = test_points(comparison, number.name, number.less_is_better);
    if (points.empty()) continue;
    text += fmt::format(
        "\n## {}\n\n| point | n | median | least to most | 95 % of the mean | mean / best | p | "
        "verdict |\n| - | - | - | - | - | - | - | - |\n",
        number.meaning());
    for (const auto& point : points) text += markdown_row(point);
    text += markdown_pairs(comparison, number);
  }
  return text;
}

}  // namespace yoke::study

// yoke/study/report/tables.cpp: the tables of a report.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/format.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/study/findings/pairs.h"
#include "yoke/study/report/document.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

std::string cell(const Sample& sample, double value, const char* format, double factor) {
  return sample.n == 0 ? "" : fmt::format(fmt::runtime(format), value * factor);
}

/// Median, extremes and interval of a number of a point.
void add_sample(std::vector<std::string>& row, const Sample& sample, const char* format,
                double factor) {
  row.push_back(cell(sample, sample.median, format, factor));
  row.push_back(sample.n < 2 ? ""
                             : cell(sample, sample.least, format, factor) + " to " +
                                   cell(sample, sample.most, format, factor));
  row.push_back(!sample.interval ? ""
                                 : cell(sample, sample.interval->first, format, factor) + " to " +
                                       cell(sample, sample.interval->second, format, factor));
}

/// Mean and interval.
void add_difference(std::vector<std::string>& row, const Sample& difference, const char* format,
                    double factor) {
  row.push_back(cell(difference, difference.mean, format, factor));
  row.push_back(!difference.interval
                    ? ""
                    : cell(difference, difference.interval->first, format, factor) + " to " +
                          cell(difference, difference.interval->second, format, factor));
}

std::string number_cell(const RunResults& run, const char* name, const char* format,
                        double factor = 1) {
  const auto value = run.number(name);
  return value ? fmt::format(fmt::runtime(format), *value * factor) : "";
}

/// A row for each name; values that differ between runs are all there, up to a few.
Table merged(const std::vector<std::map<std::string, std::string>>& runs, const char* what) {
  constexpr std::size_t kMostValues = 6;
  std::map<std::string, std::vector<std::string>> values;
  for (const auto& run : runs) {
    for (const auto& [name, value] : run) {
      auto& seen = values[name];
      if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
    }
  }
  Table table{.head = {what, "value"}, .rows = {}};
  for (const auto& [name, seen] : values) {
    std::string text;
    for (std::size_t i = 0; i < std::min(seen.size(), kMostValues); ++i) {
      text += (i > 0 ? " | " : "") + seen[i];
    }
    if (seen.size() > kMostValues) {
      text += fmt::format(" | ({} more)", seen.size() - kMostValues);
    }
    table.rows.push_back({name, text});
  }
  return table;
}

template <typename Facts>
std::vector<std::map<std::string, std::string>> of_each(const Comparison& comparison,
                                                        const Facts& facts) {
  std::vector<std::map<std::string, std::string>> all;
  for (const auto& group : comparison.groups) {
    for (const auto& run : group.runs) all.push_back(facts(run));
  }
  return all;
}

std::map<std::string, std::string> machine_of(const RunResults& run) {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : run.texts) {
    if (!value.empty() && (name.starts_with("hardware.") || name.starts_with("versions."))) {
      facts[name.substr(name.find('.') + 1)] = value;
    }
  }
  for (const char* const name :
       {hardware_key::kCores, hardware_key::kHostCores, hardware_key::kCoreQuota}) {
    const auto value = run.number(std::string("hardware.") + name);
    if (value && *value > 0) facts[name] = fmt::format("{:g}", *value);
  }
  for (const char* const name : {hardware_key::kMemoryBytes, hardware_key::kMemoryLimitBytes}) {
    const auto value = run.number(std::string("hardware.") + name);
    if (value && *value > 0) facts[name] = format_bytes(static_cast<std::int64_t>(*value));
  }
  for (const char* const name : {flag::kDevice, key::kCommunicator}) {
    if (!run.text(name).empty()) facts[name] = run.text(name);
  }
  if (const auto threads = run.number(key::kThreads)) {
    facts["threads of a rank"] = fmt::format("{:g}", *threads);
  }
  return facts;
}

}  // namespace

Table points_table(const Comparison& comparison) {
  Table table{.head = {"point", "n", "training (s), median", "least to most", "95 % of the mean",
                       "top-1 (%), median", "least to most", "95 % of the mean", "images/s"},
              .rows = {}};
  for (const auto& group : comparison.groups) {
    const Sample time = group.sample(key::kTrainSeconds), accuracy = group.sample(key::kValTop1);
    std::vector<std::string> row = {group.label, fmt::format("{}", std::max(time.n, accuracy.n))};
    add_sample(row, time, "{:.4g}", 1);
    add_sample(row, accuracy, "{:.2f}", 100);
    const Sample rate = group.sample(key::kImagesPerSecond);
    row.push_back(rate.n == 0 ? "" : in_thousands(rate.median));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table pairs_table(const Comparison& comparison) {
  std::map<std::string, Sample> losses;
  for (const auto& [label, difference] : pair_points(comparison, key::kValLoss, true)) {
    losses[label] = difference;
  }
  Table table{.head = {"point", "pairs", "top-1 (points)", "95 % of the mean",
                       "cross-entropy (nats)", "95 % of the mean"},
              .rows = {}};
  for (const auto& [label, difference] : pair_points(comparison, key::kValTop1, false)) {
    std::vector<std::string> row = {label, fmt::format("{}", difference.n)};
    add_difference(row, difference, "{:+.2f}", 100);
    add_difference(row, losses[label], "{:+.4f}", 1);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table runs_table(const Comparison& comparison) {
  constexpr std::size_t kMost = 100;
  Table table{.head = {"run", "point", "status", "seed", "epochs", "steps", "training (s)",
                       "whole (s)", "top-1 (%)", "images/s"},
              .rows = {}};
  int left_out = 0;
  for (const auto& group : comparison.groups) {
    for (const auto& run : group.runs) {
      if (table.rows.size() >= kMost) {
        ++left_out;
        continue;
      }
      const auto rate = run.number(key::kImagesPerSecond);
      const auto seed = run.config.find(flag::kSeed);
      table.rows.push_back(
          {run.path.string(), group.label, run.status, seed == run.config.end() ? "" : seed->second,
           number_cell(run, key::kEpochs, "{:.3g}"), number_cell(run, key::kSteps, "{:.0f}"),
           number_cell(run, key::kTrainSeconds, "{:.4g}"),
           number_cell(run, key::kWallSeconds, "{:.4g}"),
           number_cell(run, key::kValTop1, "{:.2f}", 100), rate ? in_thousands(*rate) : ""});
    }
  }
  if (left_out > 0) {
    table.rows.emplace_back(table.head.size());
    table.rows.back().front() = fmt::format("and {} more", left_out);
  }
  return table;
}

Table machine_table(const Comparison& comparison) {
  return merged(of_each(comparison, machine_of), "of the machine of rank 0");
}

Table flags_table(const Comparison& comparison) {
  return merged(of_each(comparison, [](const RunResults& run) { return run.config; }), "flag");
}

}  // namespace yoke::study

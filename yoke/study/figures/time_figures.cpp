// yoke/study/figures/time_figures.cpp: where the time went.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/run/phases.h"
#include "yoke/run/summary.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

struct Row {
  std::string label;
  const RunResults* run;
};

std::vector<Row> rows_of(const Comparison& comparison) {
  std::vector<Row> rows;
  for (const auto& group : comparison.groups) {
    if (group.typical().number(key::kTrainSeconds)) rows.push_back({group.label, &group.typical()});
  }
  return rows;
}

double seconds_of(const RunResults& run, const char* name) {
  return std::max(0.0, run.number(name).value_or(0));
}

std::vector<double> step_parts(const RunResults& run) {
  const double communication = seconds_of(run, key::kCommunicationSeconds);
  const double data_wait = seconds_of(run, key::kDataWaitSeconds);
  const double compute = seconds_of(run, key::kTrainSeconds) - communication - data_wait;
  return {std::max(0.0, compute), communication, data_wait};
}

std::vector<double> run_parts(const RunResults& run) {
  std::vector<double> parts = {seconds_of(run, key::kTrainSeconds),
                               seconds_of(run, key::kEvaluateSeconds),
                               seconds_of(run, key::kCheckpointSeconds)};
  double rest = seconds_of(run, key::kWallSeconds);
  for (const double part : parts) rest -= part;
  parts.push_back(std::max(0.0, rest));
  return parts;
}

template <typename Parts>
Bars bars_of(const std::vector<Row>& rows, std::vector<std::string> names, const Parts& parts_of) {
  double most = 0;
  std::vector<std::pair<std::string, std::vector<double>>> all;
  for (const auto& [label, run] : rows) {
    all.emplace_back(label, parts_of(*run));
    double total = 0;
    for (const double part : all.back().second) total += part;
    most = std::max(most, total);
  }
  const Unit unit = unit_of_time(most);
  Bars bars{.x_label = fmt::format("time ({})", unit.name), .parts = std::move(names), .bars = {}};
  for (auto& [label, parts] : all) {
    for (double& part : parts) part /= unit.divisor;
    bars.bars.push_back({.label = label, .parts = std::move(parts)});
  }
  return bars;
}

}  // namespace

std::vector<Figure> time_figures(const Comparison& comparison) {
  auto rows = rows_of(comparison);
  if (rows.empty()) return {};
  std::string remark;
  if (rows.size() > kMostBars) {
    remark = fmt::format(" The first {} of {} points.", kMostBars, rows.size());
    rows.resize(kMostBars);
  }
  return {
      {.name = "time-in-steps",
       .title = "Time in steps, on rank 0",
       .caption = "Communication: waiting for other ranks, without what work hid; waiting for "
                  "data: for batches that loader threads make." +
                  remark,
       .graph = bars_of(rows, {"computing", "communication", "waiting for data"}, step_parts)},
      {.name = "time-of-runs",
       .title = "Whole time, from the start of the program",
       .caption = "The rest is loading the program and its data, and meeting other ranks." + remark,
       .graph = bars_of(rows,
                        {word_of(PhaseKind::kTraining), word_of(PhaseKind::kEvaluating),
                         word_of(PhaseKind::kCheckpointing), "the rest"},
                        run_parts)}};
}

}  // namespace yoke::study

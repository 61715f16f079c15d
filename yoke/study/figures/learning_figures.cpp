// yoke/study/figures/learning_figures.cpp: loss and accuracy over time and over epochs.
#include <fmt/format.h>

#include <algorithm>

#include "yoke/run/flag_names.h"
#include "yoke/run/ranks_alone.h"
#include "yoke/run/summary.h"
#include "yoke/study/figures/downsample.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

/// A run and what its lines are called; empty for a run alone.
struct Shown {
  const RunResults* run;
  std::string label;
};

/// All runs where they are few, else one of each group, else the most accurate groups.
struct Choice {
  std::vector<Shown> runs;
  std::string remark;
};

std::string repetition(const Repetitions& group, const RunResults& run) {
  const auto seed = run.config.find(flag::kSeed);
  return group.runs.size() == 1 || seed == run.config.end()
             ? group.label
             : fmt::format("{}, seed {}", group.label, seed->second);
}

Choice choose(const Comparison& comparison) {
  Choice choice;
  for (const auto& group : comparison.groups) {
    for (const auto& run : group.runs) choice.runs.push_back({&run, repetition(group, run)});
  }
  if (choice.runs.size() == 1) choice.runs.front().label.clear();
  if (choice.runs.size() <= kMostLines) return choice;
  choice.runs.clear();
  std::vector<const Repetitions*> groups;
  for (const auto& group : comparison.groups) groups.push_back(&group);
  choice.remark = " Of repetitions, the run whose training took the median time.";
  if (groups.size() > kMostLines) {
    std::stable_sort(groups.begin(), groups.end(), [](const Repetitions* a, const Repetitions* b) {
      return a->sample(key::kValTop1).median > b->sample(key::kValTop1).median;
    });
    choice.remark +=
        fmt::format(" The {} points of {} with the highest accuracy.", kMostLines, groups.size());
    groups.resize(kMostLines);
  }
  for (const Repetitions* const group : groups) {
    choice.runs.push_back({&group->typical(), group->label});
  }
  return choice;
}

using Value = double (*)(const Metrics&);
double loss_of(const Metrics& report) { return report.loss; }
double accuracy_of(const Metrics& report) { return 100 * report.top1; }
/// The mean over ranks of what each has by itself.
double accuracy_alone_of(const Metrics& report) { return 100 * ranks_alone(report.rank_top1).mean; }

std::vector<Point> points_of(const std::vector<Metrics>& reports, bool over_time, double divisor,
                             Value value) {
  std::vector<Point> points;
  for (const auto& report : reports) {
    points.push_back(
        {.x = over_time ? report.seconds / divisor : report.epoch, .y = value(report)});
  }
  return downsample(std::move(points));
}

std::string title_of(const std::string& label, const char* split) {
  return label.empty() ? split : fmt::format("{}, {}", label, split);
}

/// Where ranks were measured by themselves, too.
void add_each_rank(const RunResults& run, const std::string& label, bool over_time, double divisor,
                   int& style, std::vector<Series>& all) {
  std::vector<Metrics> measured;
  for (const auto& report : run.validation) {
    if (!report.rank_top1.empty()) measured.push_back(report);
  }
  if (measured.empty()) return;
  all.push_back({.title = title_of(label, "mean of the ranks by themselves"),
                 .points = points_of(measured, over_time, divisor, accuracy_alone_of),
                 .style = style++});
}

/// Lines of validation, and of training beside them where there is room.
std::vector<Series> series_of(const Choice& choice, bool over_time, double divisor, Value value) {
  std::vector<Series> all;
  const bool roomy = choice.runs.size() <= kMostLines / 2;
  int style = 0;
  for (const auto& [run, label] : choice.runs) {
    Series training{.title = title_of(label, "training"),
                    .points = points_of(run->training, over_time, divisor, value),
                    .style = style,
                    .marked = run->training.size() == 1,
                    .lighter = true};
    Series validation{.title = title_of(label, "validation"),
                      .points = points_of(run->validation, over_time, divisor, value),
                      .style = style++};
    if (!validation.points.empty()) all.push_back(std::move(validation));
    if (roomy && value == accuracy_of) add_each_rank(*run, label, over_time, divisor, style, all);
    if (!training.points.empty() && (roomy || run->validation.empty())) {
      all.push_back(std::move(training));
    }
  }
  return all;
}

double longest(const Choice& choice) {
  double seconds = 0;
  for (const auto& shown : choice.runs) {
    seconds = std::max(seconds, shown.run->number(key::kWallSeconds).value_or(0));
  }
  return seconds;
}

std::vector<Phase> phases_of(const Choice& choice, double divisor) {
  if (choice.runs.size() != 1) return {};
  std::vector<Phase> phases = choice.runs.front().run->phases;
  for (auto& phase : phases) {
    phase.begin /= divisor;
    phase.end /= divisor;
  }
  return phases;
}

}  // namespace

std::vector<Figure> learning_figures(const Comparison& comparison) {
  const Choice choice = choose(comparison);
  const Unit unit = unit_of_time(longest(choice));
  std::vector<Figure> figures;
  for (const bool over_time : {true, false}) {
    for (const bool loss : {true, false}) {
      Curves curves{
          .x_label = over_time ? fmt::format("time since the start of the program ({})", unit.name)
                               : "epochs (passes over the training images)",
          .y_label = loss ? "cross-entropy per image (nats)" : "top-1 accuracy (%)",
          .series = series_of(choice, over_time, unit.divisor, loss ? loss_of : accuracy_of),
          .phases = over_time ? phases_of(choice, unit.divisor) : std::vector<Phase>(),
          .x_from_zero = true,
          .y_most = loss ? std::nullopt : std::optional(100.0)};
      if (curves.series.empty()) continue;
      figures.push_back(
          {.name =
               fmt::format("{}-over-{}", loss ? "loss" : "accuracy", over_time ? "time" : "epochs"),
           .title =
               fmt::format("{} over {}", loss ? "Loss" : "Accuracy", over_time ? "time" : "epochs"),
           .caption = "Training: over the steps since the report before, as the network was then; "
                      "validation: over the whole validation split." +
                      choice.remark,
           .graph = std::move(curves)});
    }
  }
  return figures;
}

}  // namespace yoke::study

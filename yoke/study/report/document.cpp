#include "yoke/study/report/document.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/format.h"
#include "yoke/run/summary.h"
#include "yoke/study/figures/figures.h"
#include "yoke/study/findings/findings.h"

namespace yoke::study {
namespace {

constexpr std::size_t kMostDetailed = 4;  // points with graphs of their own

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool repeated(const Comparison& comparison) {
  return comparison.groups.size() > 1 || comparison.groups.front().runs.size() > 1;
}

Section summary(const Comparison& comparison) {
  Section section{.heading = "In short"};
  append(section.sentences, comparison_findings(comparison));
  append(section.sentences, scaling_findings(comparison));
  if (comparison.groups.size() == 1) {
    append(section.sentences, run_findings(comparison.groups.front().typical()));
  }
  if (repeated(comparison)) section.tables.push_back(points_table(comparison));
  return section;
}

/// Points beside the base, with the same seeds.
Section beside_base(const Comparison& comparison) {
  Section section{.heading = fmt::format("Less or more than '{}'", comparison.base)};
  Table table = pairs_table(comparison);
  if (table.rows.empty()) return section;
  section.tables.push_back(std::move(table));
  section.figures = difference_figures(comparison);
  section.sentences.emplace_back(
      "Means of the differences between runs with the same seed, which have the same first weights "
      "and order of images, and their 95 % intervals (Student's t). An interval without 0 is more "
      "than chance, if one looks at this one alone: of twenty, one is so by chance.");
  return section;
}

/// What one point used and recognised.
Section details(const Repetitions& group, std::size_t number, bool alone) {
  const RunResults& run = group.typical();
  const std::string suffix = alone ? "" : fmt::format("-{}", number + 1);
  Section section{.heading = alone ? "Resources and classes" : group.label};
  if (!alone) section.sentences = run_findings(run);
  append(section.sentences, phase_findings(run));
  section.figures = resource_figures(run, suffix);
  for (auto& figure : class_figures(run, suffix)) section.figures.push_back(std::move(figure));
  for (auto& figure : confidence_figures(run, suffix)) section.figures.push_back(std::move(figure));
  if (alone) return section;
  for (auto& figure : section.figures) {  // for files and pages without the heading
    figure.title += fmt::format(": {}", group.label);
  }
  return section;
}

SheetPhoto sheet_photo(const ImagePrediction& image) {
  const bool wrong = image.answer().wrong;
  return {.name = image.name,
          .labels = {fmt::format("{} {:.1f} %", image.predicted, 100 * image.probability)},
          .wrong = wrong,
          .known = wrong ? fmt::format("in truth: {}", image.label) : "",
          .jpeg = image.jpeg};
}

/// The validation images that a run has kept to be looked at.
Section looked_at(const RunResults& run) {
  Section section{.heading = "Images worth a look"};
  if (run.predictions.empty()) return section;
  std::size_t wrong = 0;
  for (const auto& image : run.predictions) {
    wrong += image.answer().wrong ? 1 : 0;
    section.photos.push_back(sheet_photo(image));
  }
  section.sentences.push_back(fmt::format(
      "Of the validation images the run keeps {}, the surest first, and {}, the least certain "
      "first.",
      format_count(static_cast<std::int64_t>(wrong), "mistake"),
      format_count(static_cast<std::int64_t>(run.predictions.size() - wrong), "right answer")));
  return section;
}

Section remarks(const Comparison& comparison) {
  constexpr std::size_t kMost = 30;
  Section section{.heading = "What was missing"};
  for (const auto& group : comparison.groups) {
    for (const auto& run : group.runs) {
      for (const auto& remark : run.remarks) {
        section.sentences.push_back(fmt::format("{}: {}", run.path.string(), remark));
      }
    }
  }
  if (section.sentences.size() > kMost) {
    const std::size_t more = section.sentences.size() - kMost;
    section.sentences.resize(kMost);
    section.sentences.push_back(fmt::format("And {} more of the kind.", more));
  }
  return section;
}

std::vector<std::string> commands(const Comparison& comparison) {
  constexpr std::size_t kMost = 40;
  std::vector<std::string> lines;
  for (const auto& group : comparison.groups) {
    const std::string command = group.runs.front().text(key::kCommand);
    if (!command.empty()) lines.push_back(command);
  }
  if (lines.size() > kMost) {
    const std::size_t more = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("# and {} more", more));
  }
  return lines;
}

bool empty(const Section& section) {
  return section.sentences.empty() && section.figures.empty() && section.commands.empty() &&
         std::all_of(section.tables.begin(), section.tables.end(),
                     [](const Table& table) { return table.rows.empty(); });
}

}  // namespace

std::vector<Figure> Document::figures() const {
  std::vector<Figure> all;
  for (const auto& section : sections) {
    all.insert(all.end(), section.figures.begin(), section.figures.end());
  }
  return all;
}

Document make_document(const std::string& title, const Comparison& comparison) {
  Document document{.title = title, .sections = {}};
  auto& sections = document.sections;
  const bool alone = comparison.groups.size() == 1;
  sections.push_back(summary(comparison));
  sections.push_back(beside_base(comparison));
  sections.push_back({.heading = "Compared", .figures = comparison_figures(comparison)});
  sections.push_back({.heading = "Learning", .figures = learning_figures(comparison)});
  sections.push_back({.heading = "Where the time went", .figures = time_figures(comparison)});
  if (comparison.groups.size() <= kMostDetailed) {
    for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
      sections.push_back(details(comparison.groups[i], i, alone));
    }
  }
  if (alone) sections.push_back(looked_at(comparison.groups.front().typical()));
  sections.push_back({.heading = "Runs", .tables = {runs_table(comparison)}});
  sections.push_back({.heading = "Machine and versions", .tables = {machine_table(comparison)}});
  sections.push_back({.heading = "Configuration",
                      .tables = {flags_table(comparison)},
                      .commands = commands(comparison)});
  sections.push_back(remarks(comparison));
  std::erase_if(sections, empty);
  return document;
}

}  // namespace yoke::study

#include "yoke/study/search/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "yoke/core/format.h"
#include "yoke/study/findings/numbers.h"
#include "yoke/study/search/trial_figures.h"

namespace yoke::study {
namespace {

std::string how_many(const SearchPlan& search, const std::deque<Rung>& rungs) {
  std::string text = fmt::format("{} were drawn", format_count(search.settings.trials, "trial"));
  if (rungs.size() < 2 && search.settings.rungs == 1) return text + ", each trained in full.";
  std::vector<std::string> lengths;
  for (const auto& rung : rungs) {
    lengths.push_back(fmt::format("{} for {}", rung.study().points.size(), rung.length()));
  }
  return text + fmt::format("; by successive halving, trained: {}.", fmt::join(lengths, ", "));
}

std::size_t failed(const std::deque<Rung>& rungs, const std::vector<Trial>& trials) {
  const auto without = std::count_if(trials.begin(), trials.end(),
                                     [](const Trial& trial) { return !trial.scores.front(); });
  return rungs.empty() ? 0 : static_cast<std::size_t>(without);
}

std::string after_colon(const SearchPlan& search, const Trial& trial) {
  const std::string values = drawn_values(search, trial);
  return values.empty() ? "" : ": " + values;
}

Table trials_table(const SearchPlan& search, const std::deque<Rung>& rungs,
                   const std::vector<Trial>& trials) {
  constexpr std::size_t kMost = 100;
  const Number& metric = number_named(search.settings.metric);
  const auto axes = searched_axes(search);
  const bool cases = !trials.front().point->case_name.empty();
  Table table{.head = {"trial"}, .rows = {}};
  if (cases) table.head.emplace_back("case");
  table.head.insert(table.head.end(), axes.begin(), axes.end());
  for (const auto& rung : rungs) {
    table.head.push_back(rung.length().empty() ? metric.what : "after " + rung.length());
  }
  for (const auto& trial : trials) {
    if (table.rows.size() == kMost) break;
    auto& row = table.rows.emplace_back(std::vector{fmt::format("{}", trial.place + 1)});
    if (cases) row.push_back(trial.point->case_name);
    for (const auto& axis : axes) {
      const auto value = trial.point->axes.find(axis);
      row.push_back(value == trial.point->axes.end() ? "" : value->second);
    }
    for (const auto& score : trial.scores) row.push_back(score ? metric.words(*score) : "");
  }
  return table;
}

}  // namespace

std::string trial_recipe(const SearchPlan& search, const Trial& trial) {
  const Number& metric = number_named(search.settings.metric);
  std::vector<RecipeEntry> entries;
  for (const auto& [key, entry] : trial.point->flags) entries.push_back(entry);
  return fmt::format("# {} of {}: {} {}\n{}", trial.name(), search.settings.trials, metric.what,
                     metric.words(*trial.score()), recipe_text(entries));
}

std::vector<std::string> search_sentences(const SearchPlan& search, const std::deque<Rung>& rungs,
                                          const std::vector<Trial>& trials) {
  const Number& metric = number_named(search.settings.metric);
  std::vector<std::string> sentences = {how_many(search, rungs)};
  if (const std::size_t none = failed(rungs, trials); none > 0) {
    sentences.push_back(fmt::format("{} came to no {}: failed, or not run yet.",
                                    format_count(static_cast<std::int64_t>(none), "trial"),
                                    metric.what));
  }
  const Trial& best = trials.front();
  if (!best.score()) return sentences;
  sentences.push_back(fmt::format("Best is {}, {} {}{}.", best.name(), metric.what,
                                  metric.words(*best.score()), after_colon(search, best)));
  if (trials.size() < 2 || !trials[1].score()) return sentences;
  sentences.push_back(fmt::format("Second is {}, {}{}.", trials[1].name(),
                                  metric.words(*trials[1].score()),
                                  after_colon(search, trials[1])));
  sentences.emplace_back(
      "The best of many trials looks better than it is, for luck chose it, too: train it with "
      "other seeds to know what it gives.");
  return sentences;
}

Section search_section(const SearchPlan& search, const std::deque<Rung>& rungs,
                       const std::vector<Trial>& trials, const std::string& command) {
  Section section{.heading = "The search", .sentences = search_sentences(search, rungs, trials)};
  section.tables.push_back(trials_table(search, rungs, trials));
  section.figures = trial_figures(search, rungs, trials);
  if (!command.empty()) section.commands = {command};
  return section;
}

}  // namespace yoke::study

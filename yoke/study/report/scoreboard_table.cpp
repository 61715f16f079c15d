// yoke/study/report/scoreboard_table.cpp: a scoreboard as people read it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "yoke/core/format.h"
#include "yoke/study/findings/statistics.h"
#include "yoke/study/report/words.h"
#include "yoke/study/scoreboard.h"

namespace yoke::study {
namespace {

/// Runs that differ in their seed alone.
struct Entry {
  std::vector<RaceRun> runs;
  int holding = 0;
  Sample seconds = {}, wall_seconds = {}, epochs = {};  ///< Of those that hold.
  double least_accuracy = 0;                            ///< Verified, of those that hold.

  bool reliable() const { return 10 * holding >= 9 * static_cast<int>(runs.size()); }
};

Entry entry_of(std::vector<RaceRun> runs) {
  Entry entry{.runs = std::move(runs)};
  std::vector<double> seconds, wall_seconds, epochs, accuracies;
  for (const auto& run : entry.runs) {
    if (!run.holds()) continue;
    seconds.push_back(*run.seconds);
    wall_seconds.push_back(run.wall_seconds);
    epochs.push_back(run.epochs);
    accuracies.push_back(run.verified);
  }
  entry.holding = static_cast<int>(seconds.size());
  if (entry.holding == 0) return entry;
  entry.seconds = summarise(seconds);
  entry.wall_seconds = summarise(wall_seconds);
  entry.epochs = summarise(epochs);
  entry.least_accuracy = *std::min_element(accuracies.begin(), accuracies.end());
  return entry;
}

/// Whether `a` stands above `b`.
bool is_better(const Entry& a, const Entry& b) {
  const auto rank = [](const Entry& entry) {
    return std::tuple(!entry.reliable(), entry.holding == 0, entry.seconds.median);
  };
  return rank(a) < rank(b);
}

std::string row(std::size_t place, const Entry& entry) {
  const RaceRun& run = entry.runs.front();
  const std::string where =
      fmt::format("{} on {}", format_count(run.ranks, "rank"), format_count(run.hosts, "host"));
  const std::string reached = fmt::format("{} of {}", entry.holding, entry.runs.size());
  if (entry.holding == 0) {
    return fmt::format("| | {} | {} | | | | | {} | {} |\n", run.entry, reached, where, run.cpu);
  }
  return fmt::format(
      "| {} | {} | {} | {:.1f} ({:.1f} to {:.1f}) | {:.1f} | {:.3g} | {} | {} | {} |\n",
      entry.reliable() ? std::to_string(place) : "", run.entry, reached, entry.seconds.median,
      entry.seconds.least, entry.seconds.most, entry.wall_seconds.median, entry.epochs.median,
      in_percent(entry.least_accuracy), where, run.cpu);
}

}  // namespace

std::string scoreboard_markdown(const std::vector<RaceRun>& runs) {
  using Race = std::tuple<std::string, std::int64_t, double>;
  using Name = std::tuple<std::string, int, int, std::string>;
  std::map<Race, std::map<Name, std::vector<RaceRun>>> races;
  for (const auto& run : runs) {
    races[{run.data, run.images, run.target}][{run.entry, run.hosts, run.ranks, run.cpu}].push_back(
        run);
  }
  std::string text =
      "# Scoreboard\n\nSeconds of training and evaluation from the first step until the target, as "
      "median (least to most) of the runs\nthat reached it; whole: from the start of the program "
      "until then. Each "
      "accuracy was measured again by another process from the\nweights that the run left. An "
      "entry "
      "has a place when at least nine of ten runs reach the target.\n";
  for (const auto& [race, by_name] : races) {
    const auto& [data, images, target] = race;
    text += fmt::format(
        "\n## {}, {} on {} images\n\n| place | entry | reached it | seconds | whole | epochs | "
        "least accuracy | on | processor |\n| - | - | - | - | - | - | - | - | - |\n",
        data, in_percent(target), in_thousands(static_cast<double>(images)));
    std::vector<Entry> entries;
    for (const auto& [name, of_name] : by_name) entries.push_back(entry_of(of_name));
    std::stable_sort(entries.begin(), entries.end(), is_better);
    for (std::size_t i = 0; i < entries.size(); ++i) text += row(i + 1, entries[i]);
  }
  return text;
}

}  // namespace yoke::study

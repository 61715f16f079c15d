#include "yoke/study/groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/summary.h"
#include "yoke/study/report/words.h"

namespace yoke::study {
namespace {

/// `hogwild:workers=4` without its workers, which `ranks` tells: `hogwild`.
std::string without_workers(std::string strategy) {
  for (const char* const begin : {":workers=", ",workers="}) {
    const auto found = strategy.find(begin);
    if (found == std::string::npos) continue;
    const auto end = std::min(strategy.find(',', found + 1), strategy.size());
    const bool more = strategy[found] == ':' && end < strategy.size();
    strategy.erase(more ? found + 1 : found, end - found);
  }
  return strategy;
}

/// Numbers before texts, each in its order.
bool less(const std::string& a, const std::string& b) {
  const auto x = parse_number<double>(a), y = parse_number<double>(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

std::string value_of(const Settings& settings, const std::string& axis) {
  const auto found = settings.find(axis);
  return found == settings.end() ? std::string() : found->second;
}

/// Whether the value of `axis` is the same in all runs of a case.
bool told_by_case(const std::vector<Settings>& runs, const std::string& axis) {
  std::map<std::string, std::string> values;
  return axis != "case" && std::all_of(runs.begin(), runs.end(), [&](const Settings& run) {
           const std::string value = value_of(run, axis);
           return run.contains("case") &&
                  values.emplace(run.at("case"), value).first->second == value;
         });
}

std::vector<std::string> axes_of(const std::vector<Settings>& runs) {
  std::set<std::string> names;
  for (const auto& run : runs) {
    for (const auto& [name, value] : run) names.insert(name);
  }
  std::vector<std::string> axes;
  for (const auto& name : names) {
    const std::string first = value_of(runs.front(), name);
    const bool varies = std::any_of(runs.begin(), runs.end(), [&](const Settings& run) {
      return value_of(run, name) != first;
    });
    if (varies && !told_by_case(runs, name)) axes.push_back(name);
  }
  return axes;
}

std::string folder_name(const RunResults& run) {
  const auto path = std::filesystem::absolute(run.path / "").lexically_normal().parent_path();
  return path.filename().string();
}

}  // namespace

std::string label_of(const Settings& settings) {
  std::vector<std::string> words;
  for (const auto& [name, value] : settings) {
    if (name == "case") {
      words.insert(words.begin(), value);
    } else {
      words.push_back(fmt::format("{} {}", name, value.empty() ? "default" : value));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

int Repetitions::completed() const {
  return static_cast<int>(std::count_if(runs.begin(), runs.end(), [](const RunResults& run) {
    return run.status == run_status::kCompleted;
  }));
}

const RunResults& Repetitions::typical() const {
  std::vector<const RunResults*> order;
  for (const auto& run : runs) {
    if (completed() == 0 || run.status == run_status::kCompleted) order.push_back(&run);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->number(key::kTrainSeconds).value_or(0) < b->number(key::kTrainSeconds).value_or(0);
  });
  return *order[(order.size() - 1) / 2];
}

Sample Repetitions::sample(const std::string& number) const {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (completed() > 0 && run.status != run_status::kCompleted) continue;
    const auto value = run.number(number);
    if (value && std::isfinite(*value)) values.push_back(*value);
  }
  return values.empty() ? Sample() : summarise(values);
}

bool is_silent(const std::string& flag) {
  static const std::set<std::string> names = {
      flag::kDataDir,    flag::kJoinTimeout, flag::kCommTimeout, flag::kKeep,
      flag::kResume,     flag::kOut,         flag::kSeed,        flag::kProgress,
      flag::kPrintEvery, flag::kTensorboard, flag::kResources};
  return names.contains(flag);
}

Settings settings_of(const RunResults& run) {
  Settings settings;
  for (const auto& [name, value] : run.config) {
    if (!is_silent(name)) settings[name] = value;
  }
  for (const char* const resolved : {flag::kEngine, flag::kDevice}) {  // where `auto` was given
    if (!run.text(resolved).empty()) settings[resolved] = run.text(resolved);
  }
  if (const auto ranks = run.number(key::kWorldSize))
    settings["ranks"] = fmt::format("{:g}", *ranks);
  if (settings.contains(flag::kStrategy)) {
    settings[flag::kStrategy] = without_workers(settings[flag::kStrategy]);
  }
  if (!run.text(key::kHardwareCpu).empty()) settings["processor"] = run.text(key::kHardwareCpu);
  return settings;
}

Comparison compare_runs(std::vector<NamedRun> runs) {
  if (runs.empty()) throw Error("there is no run to report on");
  std::vector<Settings> settings;
  for (const auto& [run, extra] : runs) {
    settings.push_back(settings_of(run));
    for (const auto& [name, value] : extra) settings.back()[name] = value;
  }
  Comparison result{.axes = axes_of(settings), .groups = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Settings own;
    for (const auto& axis : result.axes) own[axis] = value_of(settings[i], axis);
    auto group = std::find_if(result.groups.begin(), result.groups.end(),
                              [&](const Repetitions& g) { return g.settings == own; });
    if (group == result.groups.end()) {
      const std::string label = own.empty() ? folder_name(runs[i].run) : label_of(own);
      group = result.groups.insert(group, {.label = label, .settings = own, .runs = {}});
    }
    group->runs.push_back(std::move(runs[i].run));
  }
  std::stable_sort(
      result.groups.begin(), result.groups.end(), [&](const Repetitions& a, const Repetitions& b) {
        for (const auto& axis : result.axes) {
          const std::string x = value_of(a.settings, axis), y = value_of(b.settings, axis);
          if (x != y) return less(x, y);
        }
        return false;
      });
  return result;
}

}  // namespace yoke::study

#include "yoke/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/run/flag_names.h"
#include "yoke/study/study_file.h"

namespace yoke::study {
namespace {

/// Sets a flag. One of two that exclude each other takes the place of the other.
void replace(Flags& flags, const RecipeEntry& entry) {
  if (entry.key == flag::kBatchSize) flags.erase(flag::kBatchSizePerRank);
  if (entry.key == flag::kBatchSizePerRank) flags.erase(flag::kBatchSize);
  flags[entry.key] = entry;
}

int whole_number(const RecipeEntry& entry, const std::string& where) {
  constexpr int kMost = 4096;
  const auto number = parse_number<int>(entry.value, 1, kMost);
  if (!number) {
    throw UsageError(fmt::format("{}:{}: {} is '{}'; allowed: a whole number from 1 to {}", where,
                                 entry.line, entry.key, entry.value, kMost));
  }
  return *number;
}

/// Letters that any file system and shell take as they are.
std::string file_name(const std::string& text) {
  std::string name;
  for (const char letter : text) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') ||
                       std::string_view("=,.-_").find(letter) != std::string_view::npos;
    name += plain ? letter : '_';
  }
  return name;
}

std::string name_of(const StudyPoint& point, const std::vector<Axis>& varied) {
  std::string name = point.case_name;
  for (const auto& axis : varied) {
    name += fmt::format("{}{}={}", name.empty() ? "" : ",", axis.key, point.axes.at(axis.key));
  }
  constexpr std::size_t kLongest = 120;  // of 255 that a file's name may have
  return file_name(name.empty() ? "all" : name.substr(0, kLongest));
}

/// Every combination of the values of `axes`, the last changing fastest.
void combine(const StudyPoint& base, const std::vector<Axis>& axes, const std::string& where,
             std::vector<StudyPoint>& points) {
  std::vector<Axis> varied;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(varied),
               [](const Axis& axis) { return axis.values.size() > 1; });
  std::vector<std::size_t> at(axes.size(), 0);
  while (true) {
    StudyPoint point = base;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const RecipeEntry& entry = axes[i].values[at[i]];
      set_flag(point, entry, where);
      point.axes[axes[i].key] = entry.value;
    }
    point.name = name_of(point, varied);
    points.push_back(std::move(point));
    std::size_t i = axes.size();
    while (i > 0 && ++at[i - 1] == axes[i - 1].values.size()) at[--i] = 0;
    if (i == 0) return;
  }
}

/// Before they are made: a few axes of many values are more than memory holds.
void check_count(std::size_t before, const std::vector<Axis>& axes, const std::string& where) {
  constexpr std::size_t kMostPoints = 10'000;
  std::size_t points = 1;
  for (const auto& axis : axes) {
    points *= axis.values.size();
    if (before + points <= kMostPoints) continue;
    throw UsageError(
        fmt::format("{}: the values of the axes make more than {} points, each a run; allowed are "
                    "up to {}: leave out values, or make studies of parts",
                    where, kMostPoints, kMostPoints));
  }
}

void make_names_unique(std::vector<StudyPoint>& points) {
  std::set<std::string> names;
  std::map<std::string, int> numbers;  // the last one that a name has got
  for (auto& point : points) {
    const std::string name = point.name;
    int& number = numbers.try_emplace(name, 1).first->second;
    while (!names.insert(point.name).second) point.name = fmt::format("{}_{}", name, ++number);
  }
}

/// Runs of one point under two names would be taken for more repetitions than there are.
void check_points_differ(const StudyPlan& plan, const std::string& where) {
  using Values = std::vector<std::pair<std::string, std::string>>;
  std::map<std::tuple<int, int, Values>, std::string> names;
  for (const StudyPoint& point : plan.points) {
    Values values;
    for (const auto& [key, entry] : point.flags) values.emplace_back(key, entry.value);
    const auto [first, is_new] =
        names.try_emplace({point.nodes, point.ranks, std::move(values)}, point.name);
    if (is_new) continue;
    throw UsageError(
        fmt::format("{}: points '{}' and '{}' have the same flags; give each value of an axis "
                    "once, and do not set in a case what is an axis",
                    where, first->second, point.name));
  }
}

void check_hosts(const StudyPlan& plan, const std::string& where) {
  const auto largest =
      std::max_element(plan.hosts.begin(), plan.hosts.end(),
                       [](const HostSet& a, const HostSet& b) { return a.size() < b.size(); });
  for (const auto& point : plan.points) {
    const int there = std::max(1, static_cast<int>(largest->size()));
    if (point.nodes > there) {
      throw UsageError(
          fmt::format("{}: point '{}' needs {} nodes, and the largest set of hosts has {}; give "
                      "--hosts, e.g. --hosts a,b,c, or hosts = [\"a,b,c\"] in [study]",
                      where, point.name, point.nodes, there));
    }
  }
}

}  // namespace

void set_flag(StudyPoint& point, const RecipeEntry& entry, const std::string& where) {
  if (entry.key == "nodes") {
    point.nodes = whole_number(entry, where);
  } else if (entry.key == "ranks") {
    point.ranks = whole_number(entry, where);
  } else if (entry.key == flag::kSeed || entry.key == flag::kOut || entry.key == flag::kResume) {
    throw UsageError(fmt::format("{}:{}: '{}' is set by the study itself; leave it out", where,
                                 entry.line, entry.key));
  } else {
    replace(point.flags, entry);
  }
}

HostSet parse_host_set(const std::string& text) {
  HostSet set;
  for (const auto host : split(text, ',')) {
    set.emplace_back(host);
    if (set.back().empty()) {
      throw UsageError(
          fmt::format("the set of hosts '{}' has an empty name; write e.g. a,b", text));
    }
    if (std::count(set.back().begin(), set.back().end(), ':') == 1) {  // more: IPv6
      throw UsageError(
          fmt::format("host '{}' says how many ranks it gets; write the host alone, and ranks as a "
                      "flag or an axis of the study",
                      set.back()));
    }
  }
  return set;
}

StudyPlan read_study(const std::filesystem::path& path, const StudyRequest& request,
                     const CheckFlags& check) {
  const StudyFile file = read_study_file(path, request.short_form);
  const std::string where = path.string();
  StudyPlan plan = file.settings;
  if (!request.hosts.empty()) {
    plan.hosts.clear();
    for (const auto& set : request.hosts) plan.hosts.push_back(parse_host_set(set));
  }
  StudyPoint base;
  if (file.recipe) {
    for (const auto& entry : read_recipe(*file.recipe))
      set_flag(base, entry, file.recipe->string());
  }
  for (const auto& entry : file.flags) set_flag(base, entry, where);
  if (!request.data_dir.empty()) {
    set_flag(base, {.key = flag::kDataDir, .value = request.data_dir, .quoted = true}, where);
  }
  auto cases = file.cases;
  if (cases.empty()) cases.push_back({});
  for (const auto& one : cases) {
    StudyPoint start = base;
    start.case_name = one.name;
    std::vector<Axis> axes = file.axes;
    axes.insert(axes.end(), one.axes.begin(), one.axes.end());
    check_count(plan.points.size(), axes, where);
    combine(start, axes, where, plan.points);
  }
  make_names_unique(plan.points);
  check_points_differ(plan, where);
  if (!request.elsewhere) check_hosts(plan, where);
  for (const auto& point : plan.points) {
    std::vector<RecipeEntry> flags;
    for (const auto& [key, entry] : point.flags) flags.push_back(entry);
    check(flags, fmt::format("{}: point '{}'", where, point.name));
  }
  return plan;
}

}  // namespace yoke::study

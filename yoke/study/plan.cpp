#include "yoke/study/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/plugins/option_text.h"
#include "yoke/core/split.h"
#include "yoke/run/flag_names.h"
#include "yoke/study/points.h"
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
    if (axis.range) {
      throw UsageError(fmt::format(
          "{}:{}: '{}' is a range, from which a search draws; write [search], or give a list of "
          "values",
          where, axis.line, axis.key));
    }
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

/// `optimizer.weight_decay`, of a flag that has been set.
void set_option(StudyPoint& point, const RecipeEntry& entry, const std::string& where) {
  const auto dot = entry.key.find('.');
  const std::string name = entry.key.substr(0, dot), option = entry.key.substr(dot + 1);
  const auto flag = point.flags.find(name);
  if (flag == point.flags.end()) {
    throw UsageError(
        fmt::format("{}:{}: '{}' is an option of {}, which is not given; give it in [flags], or as "
                    "an axis",
                    where, entry.line, entry.key, name));
  }
  flag->second.value = with_option(flag->second.value, option, entry.value);
}

}  // namespace

void set_flag(StudyPoint& point, const RecipeEntry& entry, const std::string& where) {
  if (entry.key.find('.') != std::string::npos) {
    set_option(point, entry, where);
  } else if (entry.key == "nodes") {
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
  if (file.search) {
    throw UsageError(fmt::format(
        "{} has [search], so its trials are drawn; run it by yoke study search {}", where, where));
  }
  StudyPlan plan = plan_without_points(file, request);
  for (const auto& start : starts_of(file, request, where)) {
    check_count(plan.points.size(), start.axes, where);
    combine(start.point, start.axes, where, plan.points);
  }
  make_names_unique(plan.points);
  check_points(plan, request, where, check);
  return plan;
}

}  // namespace yoke::study

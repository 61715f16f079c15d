#include "yoke/study/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "yoke/core/error.h"
#include "yoke/run/flag_names.h"

namespace yoke::study {
namespace {

StudyPoint base_point(const StudyFile& file, const StudyRequest& request,
                      const std::string& where) {
  StudyPoint base;
  if (file.recipe) {
    for (const auto& entry : read_recipe(*file.recipe))
      set_flag(base, entry, file.recipe->string());
  }
  for (const auto& entry : file.flags) set_flag(base, entry, where);
  if (!request.data_dir.empty()) {
    set_flag(base, {.key = flag::kDataDir, .value = request.data_dir, .quoted = true}, where);
  }
  return base;
}

/// Runs of one point under two names would be taken for more repetitions than there are.
void check_points_differ(const StudyPlan& plan, const std::string& where) {
  std::map<std::string, std::string> names;
  for (const StudyPoint& point : plan.points) {
    const auto [first, is_new] = names.try_emplace(identity_of(point), point.name);
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

StudyPlan plan_without_points(const StudyFile& file, const StudyRequest& request) {
  StudyPlan plan = file.settings;
  if (!request.hosts.empty()) plan.hosts.clear();
  for (const auto& set : request.hosts) plan.hosts.push_back(parse_host_set(set));
  const auto sets = plan.hosts;
  constexpr int kMostJobs = 1024;  // no machine has room for more
  for (int job = 1; job < std::min(request.jobs, kMostJobs); ++job) {
    plan.hosts.insert(plan.hosts.end(), sets.begin(), sets.end());
  }
  return plan;
}

std::vector<PointStart> starts_of(const StudyFile& file, const StudyRequest& request,
                                  const std::string& where) {
  const StudyPoint base = base_point(file, request, where);
  auto cases = file.cases;
  if (cases.empty()) cases.push_back({});
  std::vector<PointStart> starts;
  for (const auto& one : cases) {
    PointStart& start = starts.emplace_back(PointStart{.point = base, .axes = file.axes});
    start.point.case_name = one.name;
    start.axes.insert(start.axes.end(), one.axes.begin(), one.axes.end());
    std::stable_partition(start.axes.begin(), start.axes.end(),
                          [](const Axis& axis) { return axis.key.find('.') == std::string::npos; });
  }
  return starts;
}

void check_points(const StudyPlan& plan, const StudyRequest& request, const std::string& where,
                  const CheckFlags& check) {
  check_points_differ(plan, where);
  if (!request.elsewhere) check_hosts(plan, where);
  for (const auto& point : plan.points) {
    std::vector<RecipeEntry> flags;
    for (const auto& [key, entry] : point.flags) flags.push_back(entry);
    check(flags, fmt::format("{}: point '{}'", where, point.name));
  }
}

std::string identity_of(const StudyPoint& point) {
  std::vector<RecipeEntry> flags;
  for (const auto& [key, entry] : point.flags)
    flags.push_back({.key = key, .value = entry.value, .quoted = true});
  return fmt::format("{} {}\n{}", point.nodes, point.ranks, recipe_text(flags));
}

}  // namespace yoke::study

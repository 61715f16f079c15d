#include "yoke/study/race.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/run/flag_names.h"

namespace yoke::study {
namespace {

HostSet hosts_of(const RaceRequest& request) {
  if (request.hosts.empty()) return {};
  auto hosts = parse_host_set(request.hosts);
  if (static_cast<int>(hosts.size()) > kRaceRules.most_hosts) {
    throw UsageError(fmt::format("--hosts names {} hosts; a race allows at most {}", hosts.size(),
                                 kRaceRules.most_hosts));
  }
  return hosts;
}

}  // namespace

StudyPlan plan_race(const std::filesystem::path& recipe, const RaceRequest& request,
                    const CheckFlags& check) {
  StudyPlan plan;
  plan.title = fmt::format("The race: {}", recipe.stem().string());
  plan.repetitions = request.repetitions;
  plan.warm_ups = 0;
  plan.hosts = {hosts_of(request)};
  StudyPoint point;
  for (const auto& entry : read_recipe(recipe)) set_flag(point, entry, recipe.string());
  if (!request.data_dir.empty()) {
    set_flag(point, {.key = flag::kDataDir, .value = request.data_dir, .quoted = true},
             as_flag(flag::kDataDir));
  }
  if (!point.flags.contains(flag::kDevice)) {
    set_flag(point, {.key = flag::kDevice, .value = "cpu", .quoted = true}, recipe.string());
  }
  point.name = recipe.stem().string();
  point.ranks = request.ranks;
  point.nodes = std::max<int>(1, static_cast<int>(plan.hosts.front().size()));
  std::vector<RecipeEntry> flags;
  for (const auto& [key, entry] : point.flags) flags.push_back(entry);
  check(flags, recipe.string());
  plan.points.push_back(std::move(point));
  return plan;
}

}  // namespace yoke::study

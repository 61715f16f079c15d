#include "yoke/study/jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/set_aside.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"

namespace yoke::study {
namespace {

namespace fs = std::filesystem;

bool completed(const fs::path& directory) {
  return has_completed(RunDirectory{directory}.summary());
}

bool has_these_flags(const Job& job) {
  return fs::exists(job.flags_path()) && read_file(job.flags_path()) == flags_text(job);
}

}  // namespace

std::vector<Job> jobs_of(const StudyPlan& plan, const fs::path& runs) {
  std::vector<Job> jobs;
  for (int round = 1 - plan.warm_ups; round <= plan.repetitions; ++round) {
    const bool counts = round >= 1;
    const int repetition = counts ? round : round + plan.warm_ups;
    std::vector<Job> of_round;
    for (const auto& point : plan.points) {
      of_round.push_back(
          {.point = &point,
           .repetition = repetition,
           .counts = counts,
           .seed = plan.seed + repetition - 1,
           .directory = runs / fmt::format("{}-{}{}", point.name, counts ? 'r' : 'w', repetition)});
    }
    if (round % 2 == 0) std::reverse(of_round.begin(), of_round.end());
    std::move(of_round.begin(), of_round.end(), std::back_inserter(jobs));
  }
  return jobs;
}

std::string flags_text(const Job& job) {
  std::vector<RecipeEntry> entries;
  for (const auto& [key, entry] : job.point->flags) entries.push_back(entry);
  entries.push_back({.key = flag::kSeed, .value = fmt::format("{}", job.seed)});
  return fmt::format("# {} nodes, {} ranks on each\n{}", job.point->nodes, job.point->ranks,
                     recipe_text(entries));
}

bool is_done(const Job& job) {
  if (!completed(job.directory)) return false;
  if (!has_these_flags(job)) {
    throw UsageError(
        fmt::format("{} was run with other flags than this study's ({}); give another --out, or "
                    "remove it to have it run again",
                    job.directory.string(), job.flags_path().string()));
  }
  return true;
}

void prepare(const Job& job) {
  make_folder(job.directory.parent_path());
  if (has_these_flags(job)) {
    fs::remove_all(job.directory);
  } else if (fs::exists(job.directory)) {
    set_aside(job.directory, "earlier");
  }
  write_file(job.flags_path(), flags_text(job));
}

void prepare_to_go_on(const Job& job) {
  if (!has_these_flags(job)) prepare(job);
}

std::vector<std::string> launch_words(const StudyPoint& point, const std::string& program,
                                      const HostSet& hosts) {
  std::vector<std::string> words = {program};
  if (!hosts.empty()) {
    const HostSet first(hosts.begin(), hosts.begin() + point.nodes);
    words.insert(words.end(),
                 {"run", as_flag(launch_flag::kHosts), fmt::format("{}", fmt::join(first, ","))});
  } else if (point.ranks > 1) {
    words.insert(words.end(), {"run"});
  }
  if (words.size() > 1) {
    words.insert(words.end(), {as_flag(launch_flag::kProcesses), fmt::format("{}", point.ranks)});
  }
  return words;
}

std::vector<std::string> command_of(const Job& job, const std::string& program,
                                    const HostSet& hosts) {
  std::vector<std::string> words = launch_words(*job.point, program, hosts);
  words.insert(words.end(), {"train", as_flag(flag::kRecipe), job.flags_path().string(),
                             as_flag(flag::kOut), job.directory.string()});
  if (!job.point->flags.contains(flag::kProgress)) {
    words.insert(words.end(), {as_flag(flag::kProgress), "lines"});
  }
  return words;
}

}  // namespace yoke::study

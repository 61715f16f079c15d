#include "apps/yoke/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/yoke/number_flag.h"
#include "apps/yoke/race_rules.h"
#include "apps/yoke/race_scores.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/study/race.h"
#include "yoke/study/scoreboard.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenRace {
  std::string recipe;
  std::string out;
  std::string scoreboard = "scoreboard.jsonl";
  study::RaceRequest request;
};

int race_command(const GivenRace& given) {
  const auto plan = study::plan_race(given.recipe, given.request, check_race_rules);
  const fs::path out = given.out.empty()
                           ? fs::path(kRunsFolder) / ("race-" + plan.points.front().name)
                           : fs::path(given.out);
  const fs::path board = fs::absolute(given.scoreboard);
  make_folder(board.parent_path());  // what would fail fails now rather than after the runs
  study::read_scoreboard(board);
  const auto jobs = study::jobs_of(plan, out / kRunsFolder);
  say(fmt::format("{}: {}, in {}", plan.title, format_count(plan.repetitions, "seed"),
                  out.string()));
  const auto result = StudyRuns(out).run(plan, jobs);
  const auto runs = keep_scores(given.scoreboard, jobs);
  tell_result(runs);
  write_outcome({.title = plan.title, .jobs = jobs, .compared = jobs, .skipped = result.skipped},
                out, {"html"});
  const bool refuted = std::any_of(runs.begin(), runs.end(), [](const study::RaceRun& run) {
    return run.seconds.has_value() && !run.holds();
  });
  return refuted ? 1 : study_status(result);
}

}  // namespace

void add_race_command(CLI::App& study, Run& run) {
  auto* const command =
      study.add_subcommand("race",
                           "Train to a target accuracy against the clock, verify it, and "
                           "keep a scoreboard");
  const auto given = std::make_shared<GivenRace>();
  command->add_option("RECIPE", given->recipe, "Recipe with target-accuracy; see docs/study.md")
      ->required();
  command->add_option("--repetitions", given->request.repetitions, "Runs, each of another seed")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--ranks", given->request.ranks, "Ranks on each host")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--hosts", given->request.hosts, "At most three hosts")->type_name("a,b,c");
  command->add_option(as_flag(flag::kDataDir), given->request.data_dir, "Where data sets are")
      ->type_name("DIR");
  command->add_option("-o,--out", given->out, "Folder of the runs (runs/race-<name of RECIPE>)")
      ->type_name("DIR");
  command
      ->add_option("--scoreboard", given->scoreboard,
                   "File of all races' runs; a table for people is kept beside it")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([given, &run] { run = [given] { return race_command(*given); }; });
}

}  // namespace yoke

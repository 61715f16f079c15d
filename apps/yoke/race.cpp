#include "apps/yoke/race.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/capture.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/stop_signal.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/error.h"
#include "yoke/core/file.h"
#include "yoke/core/options.h"
#include "yoke/study/race.h"
#include "yoke/study/run.h"
#include "yoke/study/scoreboard.h"
#include "yoke/study/statistics.h"
#include "yoke/study/words.h"
#include "yoke/train/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenRace {
  std::string recipe;
  std::string out;
  std::string scoreboard = "scoreboard.jsonl";
  study::RaceRequest request;
};

/// @throws UsageError where the recipe breaks a rule, so that its score could not be compared.
void check_rules(const std::vector<RecipeEntry>& flags, const std::string& where) {
  check_flags(flags, where);
  TrainConfig config;
  apply_recipe(config, flags, where);
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("{}: {}", where, what));
  };
  if (!config.target_accuracy) {
    refuse("a race needs target-accuracy, e.g. target-accuracy = 0.9");
  }
  const auto epochs = config.epochs.value_or(kDefaultEpochs);
  if (epochs > study::kRaceRules.most_epochs) {
    refuse(fmt::format("epochs is {}; a race allows at most {}", epochs,
                       study::kRaceRules.most_epochs));
  }
  if (config.max_steps && !config.epochs) {
    refuse("max-steps alone does not bound the epochs of a race; say epochs, too");
  }
  if (config.device != "cpu") {
    refuse(fmt::format("device is '{}'; a race is run on processors: cpu", config.device));
  }
  if (!config.weights.empty()) refuse("a race begins at random weights; leave weights out");
  if (config.data.find("validation_limit") != std::string::npos) {
    refuse("a race is judged on all validation images; leave validation_limit out");
  }
}

/// Accuracy of the weights that a run left, measured by another process.
double verify(const fs::path& run) {
  const auto printed = capture({own_program().string(), "evaluate", run.string(), "--json"});
  return nlohmann::json::parse(last_line(printed)).at("top1").get<double>();
}

study::RaceRun score(const study::Job& job) {
  const auto run = study::read_run(job.directory);
  const std::string data = run.text("data");
  return {.entry = job.point->name,
          .data = data.substr(0, data.find(':')),
          .images = static_cast<std::int64_t>(run.number("val_images").value_or(0)),
          .target = run.number("target_accuracy").value_or(1),
          .seconds = run.number("time_to_target_seconds"),
          .wall_seconds = run.number("wall_seconds").value_or(0),
          .epochs = run.number("epochs").value_or(0),
          .claimed = run.number("val_top1").value_or(0),
          .verified = verify(job.directory),
          .hosts = job.point->nodes,
          .ranks = job.point->nodes * job.point->ranks,
          .cpu = run.text("hardware.cpu"),
          .seed = job.seed,
          .yoke = run.text("versions.yoke"),
          .date = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::time(nullptr))),
          .run = fs::weakly_canonical(job.directory).string()};
}

void tell(const study::RaceRun& run) {
  const std::string measured =
      fmt::format("claims {}, and {} was measured again", study::in_percent(run.claimed),
                  study::in_percent(run.verified));
  if (!run.seconds) {
    say(fmt::format("seed {}: target not reached in {:.3g} epochs; {}", run.seed, run.epochs,
                    measured));
  } else {
    say(fmt::format("seed {}: {} after {} and {:.3g} epochs{}", run.seed, measured,
                    study::in_seconds(*run.seconds), run.epochs,
                    run.holds() ? "" : "; the claim does NOT hold"));
  }
}

/// Scores the completed runs, keeps the scoreboard; returns the runs of this race.
std::vector<study::RaceRun> keep_scores(const GivenRace& given,
                                        const std::vector<study::Job>& jobs) {
  auto board = study::read_scoreboard(given.scoreboard);
  std::vector<study::RaceRun> runs;
  for (const auto& job : jobs) {
    if (!study::is_done(job)) continue;
    runs.push_back(score(job));
    tell(runs.back());
    study::add_run(board, runs.back());
  }
  const fs::path table = fs::path(given.scoreboard).replace_extension(".md");
  write_file(given.scoreboard, study::scoreboard_text(board));
  write_file(table, study::scoreboard_markdown(board));
  say(fmt::format("{}\n{}", given.scoreboard, table.string()));
  return runs;
}

void tell_result(const std::vector<study::RaceRun>& runs) {
  std::vector<double> seconds;
  for (const auto& run : runs) {
    if (run.holds()) seconds.push_back(*run.seconds);
  }
  if (runs.empty()) return;
  say(fmt::format(
      "{} of {} runs reached {}{}", seconds.size(), runs.size(),
      study::in_percent(runs.front().target),
      seconds.empty() ? "" : ": " + study::spread(study::summarise(seconds), study::in_seconds)));
}

int race_command(const GivenRace& given) {
  const auto plan = study::plan_race(given.recipe, given.request, check_rules);
  const fs::path out = given.out.empty() ? fs::path("runs") / ("race-" + plan.points.front().name)
                                         : fs::path(given.out);
  study::read_scoreboard(given.scoreboard);  // fails now rather than after the runs
  const auto jobs = study::jobs_of(plan, out / "runs");
  say(fmt::format("{}: {} seed{}, in {}", plan.title, plan.repetitions,
                  plan.repetitions == 1 ? "" : "s", out.string()));
  const auto result = run_study(plan, jobs);
  write_outcome(plan, jobs, out, {"html"});
  const auto runs = keep_scores(given, jobs);
  tell_result(runs);
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
  command->add_option("--data-dir", given->request.data_dir, "Where data sets are")
      ->type_name("DIR");
  command->add_option("--out", given->out, "Folder of the runs (runs/race-<name of RECIPE>)")
      ->type_name("DIR");
  command
      ->add_option("--scoreboard", given->scoreboard,
                   "File of all races' runs; a table for people is kept beside it")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([given, &run] { run = [given] { return race_command(*given); }; });
}

}  // namespace yoke

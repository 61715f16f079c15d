// apps/yoke/find_lr.cpp: `yoke find-lr`, the learning-rate range test with its graph.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/figure_file.h"
#include "apps/yoke/given_config.h"
#include "apps/yoke/rate_output.h"
#include "apps/yoke/rate_trial.h"
#include "yoke/comm/rendezvous/world.h"
#include "yoke/core/error.h"
#include "yoke/core/system/shell.h"
#include "yoke/run/flag_names.h"
#include "yoke/study/figures/rate_figure.h"
#include "yoke/study/rate_test.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

struct GivenRateTest {
  GivenConfig config;
  study::RateRange range;
  std::string out;
  bool force = false;
  bool json = false;
};

/// Flags of `yoke train` that say what is searched here.
constexpr const char* kSearched[] = {"lr", "schedule"};

/// Before anything is loaded.
void check(const GivenRateTest& given) {
  for (const char* const name : kSearched) {
    if (!given.config.values.contains(name)) continue;
    throw UsageError(fmt::format(
        "--{} {} is given, but the learning rate is what yoke find-lr searches, one step at each; "
        "leave it out, and give --from and --to where others are to be tried",
        name, given.config.values.at(name)));
  }
  validate(given.range);
  if (!given.out.empty()) check_figure_file("--out", given.out, given.force);
  if (const int ranks = world_from_environment().size; ranks > 1) {
    throw UsageError(fmt::format(
        "yoke find-lr was started as one of {} ranks, but takes its steps in one process; start it "
        "by itself, with the --batch-size of all ranks together",
        ranks));
  }
}

/// A switch takes what is not true behind a =.
std::vector<std::string> words_of(const TrainFlag& flag, const std::string& value) {
  const std::string name = "--" + flag.name;
  if (!flag.value.empty()) return {name, value};
  return {value == "true" ? name : fmt::format("{}={}", name, value)};
}

/// What trains at `lr`, as one types it.
std::string train_command(const GivenConfig& given, double lr) {
  std::vector<std::string> words = {"yoke", "train"};
  words.insert(words.end(), given.photos.begin(), given.photos.end());
  if (!given.recipe.empty()) words.insert(words.end(), {as_flag(flag::kRecipe), given.recipe});
  for (const auto& flag : train_flags()) {
    const auto value = given.values.find(flag.name);
    if (value == given.values.end()) continue;
    const auto given_words = words_of(flag, value->second);
    words.insert(words.end(), given_words.begin(), given_words.end());
  }
  words.insert(words.end(), {"--lr", fmt::format("{:.2g}", lr)});
  return shell_line(words);
}

int find_lr(const GivenRateTest& given) {
  check(given);
  const TrainConfig config = resolve(given.config);
  RateTrial trial(config, given.range);
  print_trial(config, trial, given.range);
  study::RateTest test(given.range);
  while (test.goes_on()) {
    test.add(trial.next_loss());
    print_step(test);
  }
  const auto suggested = test.suggestions();
  const auto command = suggested ? train_command(given.config, suggested->minimum) : "";
  print_suggestions(test, command);
  if (!given.out.empty()) {
    write_figure_file(
        rate_figure(test, fmt::format("{} on {}, {} images a step, {}", config.model, config.data,
                                      trial.trainer().batch_size(), config.optimizer)),
        given.out);
    fmt::print("graph      {}\n", given.out);
  }
  if (given.json) fmt::print("{}\n", to_json(config, trial, test, command).dump());
  if (suggested) return 0;
  throw Error(fmt::format(
      "the loss fell at none of the rates from {:g} to {:g}, so none is suggested; try others by "
      "--from and --to, more --steps, or another optimizer",
      given.range.from, test.points().back().lr));
}

void add_test_flags(CLI::App& command, GivenRateTest& given) {
  constexpr const char* kGroup = "The test";
  command.add_option("--from", given.range.from, "Learning rate of the first step")
      ->group(kGroup)
      ->capture_default_str();
  command.add_option("--to", given.range.to, "Learning rate of the last step")
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option("--steps", given.range.steps,
                  fmt::format("Steps, from rate to rate by the same factor; from {} on",
                              study::kFewestRateSteps))
      ->group(kGroup)
      ->capture_default_str();
  command
      .add_option("-o,--out", given.out,
                  fmt::format("Also draw loss over learning rate, into a {}", kFigureEndings))
      ->type_name("FILE")
      ->group(kGroup);
  command.add_flag("--force", given.force, "Replace --out if it exists")->group(kGroup);
  command.add_flag("--json", given.json, "Print one JSON object as the last line")->group(kGroup);
}

/// Those of `yoke train` that decide what a step does. What is searched is known, to be refused in
/// a sentence, but not shown.
void add_train_flags(CLI::App& command, GivenConfig& given) {
  auto names = flags_that_are(kStepCost);
  const auto others = flags_that_are(kStepResult);
  names.insert(names.end(), others.begin(), others.end());
  names.insert(names.end(), std::begin(kSearched), std::end(kSearched));
  add_config_flags(command, given, names);
  for (const char* const name : kSearched) command.get_option(as_flag(name))->group("");
}

}  // namespace

void add_find_lr_command(CLI::App& program, Run& run) {
  auto* const command =
      program.add_subcommand("find-lr", "Try learning rates, a step each, and suggest one");
  const auto given = std::make_shared<GivenRateTest>();
  add_photos(*command, given->config);
  add_test_flags(*command, *given);
  add_train_flags(*command, given->config);
  command->callback([given, &run] { run = [given] { return find_lr(*given); }; });
}

}  // namespace yoke

// yoke/train/config/flags.h: the flags of `yoke train`, one table for the command line, recipes and
// config.toml.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/files/recipe.h"
#include "yoke/train/config/config.h"
#include "yoke/train/resolved.h"

namespace yoke {

/// Of a process, as flags give them.
inline constexpr std::int64_t kMostThreads = 1024;

/// What a flag is to a run; a flag may be several.
enum FlagRole : unsigned {
  kIdentity = 1,     ///< A resumed run must have the one of the run that it goes on with.
  kHost = 2,         ///< Each rank has its own; of others all ranks must have the same.
  kPlace = 4,        ///< Where a run is and what it went on from: not what repeats it elsewhere.
  kStepCost = 8,     ///< Decides what a step costs.
  kMeasured = 16,    ///< Of these, `yoke forecast` measures at values of its own.
  kStepResult = 32,  ///< Decides what a step does, but not what it costs a processor.
};

/// One flag of `yoke train`.
struct TrainFlag {
  std::string name;   ///< Without dashes: `batch-size`.
  std::string value;  ///< What its value is called in the help; empty for a switch.
  std::string help;   ///< One sentence, with the unit.
  std::string range;  ///< Which numbers are allowed; else empty: `value` and `help` say it.
  std::string group;  ///< Heading of the help.
  bool quoted;        ///< Text in TOML, as against a number or a boolean.
  /// @throws UsageError when the text is no such value.
  std::function<void(TrainConfig&, const std::string&)> set;
  /// Nothing where the value is not given and has no default.
  std::function<std::optional<std::string>(const TrainConfig&)> get;
  unsigned roles = 0;                  ///< Of FlagRole.
  std::vector<std::string> aliases{};  ///< Other names on the command line: `-b`, `--workers`.
  /// Where a run finds the value out if it is not given; else empty.
  std::function<std::string(const Resolved&)> resolved{};
  /// What ranks must have in common of its value, where that is not the value itself; else empty.
  std::function<std::string(const std::string&)> common{};

  bool is(FlagRole role) const { return (roles & role) != 0; }
};

/// Every flag but `--recipe`, in the order of the help; flag_table.cpp has them.
const std::vector<TrainFlag>& train_flags();

/// Names of the flags that have all of `roles`, and none of `without`.
std::vector<std::string> flags_that_are(unsigned roles, unsigned without = 0);

/// Sets what `entries` name. @throws UsageError on an unknown key: the message lists the keys.
void apply_recipe(TrainConfig& config, const std::vector<RecipeEntry>& entries,
                  const std::string& where);

/// The configuration as a recipe, but for flags that have any of the roles `without`.
std::vector<RecipeEntry> to_recipe(const TrainConfig& config, unsigned without = 0);

/// The same, with what the run found out where it was not given.
std::vector<RecipeEntry> to_recipe(const TrainConfig& config, const Resolved& resolved,
                                   unsigned without = 0);

/// What repeats the run elsewhere: all flags but where it was and what it went on from. Threads
/// stay as given, for another machine or number of ranks has others.
std::vector<RecipeEntry> run_recipe(const TrainConfig& config, const Resolved& resolved);

}  // namespace yoke

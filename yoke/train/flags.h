// yoke/train/flags.h: the flags of `yoke train`, one table for the command line, recipes and
// config.toml.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "yoke/core/recipe.h"
#include "yoke/train/config.h"

namespace yoke {

/// One flag of `yoke train`.
struct TrainFlag {
  std::string name;   ///< Without dashes: `batch-size`.
  std::string value;  ///< What its value is called in the help; empty for a switch.
  std::string help;   ///< One sentence, with the unit.
  std::string group;  ///< Heading of the help.
  bool quoted;        ///< Text in TOML, as against a number or a boolean.
  /// @throws UsageError when the text is no such value.
  std::function<void(TrainConfig&, const std::string&)> set;
  /// Nothing where the value is not given and has no default.
  std::function<std::optional<std::string>(const TrainConfig&)> get;
};

/// Every flag but `--recipe`, in the order of the help.
const std::vector<TrainFlag>& train_flags();

/// Sets what `entries` name. @throws UsageError on an unknown key: the message lists the keys.
void apply_recipe(TrainConfig& config, const std::vector<RecipeEntry>& entries,
                  const std::string& where);

/// The whole configuration as a recipe.
std::vector<RecipeEntry> to_recipe(const TrainConfig& config);

}  // namespace yoke

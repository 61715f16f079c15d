#include "apps/yoke/race_rules.h"

#include <fmt/format.h>

#include "apps/yoke/study_outcome.h"
#include "yoke/core/error.h"
#include "yoke/data/dataset.h"
#include "yoke/study/race.h"
#include "yoke/train/config/flags.h"

namespace yoke {

void check_race_rules(const std::vector<RecipeEntry>& flags, const std::string& where) {
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
  if (config.device != DeviceKind::kCpu) {
    refuse(fmt::format("device is '{}'; a race is run on processors: cpu", word_of(config.device)));
  }
  if (!config.weights.empty()) refuse("a race begins at random weights; leave weights out");
  if (config.data.find(kValidationLimit) != std::string::npos) {
    refuse(
        fmt::format("a race is judged on all validation images; leave {} out", kValidationLimit));
  }
}

}  // namespace yoke

// yoke/study/race.h: a recipe against the clock: runs of it, by seeds, to a target accuracy.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/study/plan.h"

namespace yoke::study {

/// What every entry keeps to, so that scores can be compared.
struct RaceRules {
  int most_epochs = 40;
  int most_hosts = 3;
};
inline constexpr RaceRules kRaceRules;

/// What the command line says of a race.
struct RaceRequest {
  int repetitions = 1;   ///< Seeds.
  int ranks = 1;         ///< On each host.
  std::string hosts;     ///< `a,b,c`; empty: this machine, without ssh.
  std::string data_dir;  ///< In place of the recipe's, where it is not empty.
};

/// The runs of `recipe`, on processors, its file's name being that of the entry. `check` sees the
/// flags. @throws UsageError where the recipe is none, or the hosts are more than the rules allow.
StudyPlan plan_race(const std::filesystem::path& recipe, const RaceRequest& request,
                    const CheckFlags& check);

}  // namespace yoke::study

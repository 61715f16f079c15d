// apps/yoke/race_rules.h: what a recipe of `yoke study race` may say.
#pragma once
#include <string>
#include <vector>

#include "yoke/core/files/recipe.h"

namespace yoke {

/// Checks the recipe that `where` names. @throws UsageError where it breaks a rule, so that its
/// score could not be compared.
void check_race_rules(const std::vector<RecipeEntry>& flags, const std::string& where);

}  // namespace yoke

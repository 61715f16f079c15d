// yoke/study/study_file.h: the tables of a study file, before their values are combined.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yoke/core/files/recipe.h"
#include "yoke/study/plan.h"
#include "yoke/study/search/search_settings.h"
#include "yoke/study/search/value_range.h"

namespace yoke::study {

/// A key with the values that it takes in turn, or a range to draw them from.
struct Axis {
  std::string key;                       ///< A flag, or an option of it: `optimizer.weight_decay`.
  int line = 0;                          ///< In the file, from 1.
  std::vector<RecipeEntry> values = {};  ///< At least one, where there is no range.
  std::optional<ValueRange> range = {};
};

/// Combinations of flags that belong together.
struct Case {
  std::string name;
  std::vector<Axis> axes;
};

/// What the file says; [short] has been applied where it was asked for.
struct StudyFile {
  StudyPlan settings;                           ///< All but its points.
  std::optional<std::filesystem::path> recipe;  ///< As seen from here.
  std::vector<RecipeEntry> flags;
  std::vector<Axis> axes;
  std::vector<Case> cases;
  std::optional<SearchSettings> search;  ///< Trials are drawn, in place of every combination.
};

/// @throws UsageError where it cannot be read, is not TOML, or has keys that no study has.
StudyFile read_study_file(const std::filesystem::path& path, bool short_form);

}  // namespace yoke::study

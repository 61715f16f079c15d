// yoke/study/study_file.h: the tables of a study file, before their values are combined.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yoke/core/files/recipe.h"
#include "yoke/study/plan.h"

namespace yoke::study {

/// A key with the values that it takes in turn.
struct Axis {
  std::string key;
  std::vector<RecipeEntry> values;  ///< At least one.
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
};

/// @throws UsageError where it cannot be read, is not TOML, or has keys that no study has.
StudyFile read_study_file(const std::filesystem::path& path, bool short_form);

}  // namespace yoke::study

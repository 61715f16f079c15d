#include "apps/yoke/given_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "yoke/core/error.h"
#include "yoke/core/files/recipe.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/plugins/options.h"
#include "yoke/data/dataset.h"
#include "yoke/models/model.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/resume.h"
#include "yoke/train/config/augmentation_sets.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

void apply_file(TrainConfig& config, const fs::path& path) {
  apply_recipe(config, read_recipe(path), path.string());
}

/// @throws UsageError where there are none at `path`, which is one of `count`.
void check_photos(const std::string& path, std::size_t count) {
  if (!fs::exists(path)) {
    const std::string nearest = nearest_name(path, datasets().names());
    throw UsageError(fmt::format(
        "there is no file or folder '{}' to train on; give a folder of photos, or a tar file of "
        "them, with a folder per class{}",
        path, nearest.empty() ? "" : fmt::format("; did you mean --data {}?", nearest)));
  }
  if (count > 1 && path.find(':') != std::string::npos) {
    throw UsageError(fmt::format(
        "'{}' has a colon, which stands between folders of photos; give it another name, or give "
        "it alone",
        path));
  }
}

/// What `--data` would be for these photos. @throws UsageError where there are none.
std::string data_of(const GivenConfig& given) {
  const auto named = given.values.find("data");
  if (named != given.values.end()) {
    throw UsageError(fmt::format("both {} and --data {} are given to train on; give one",
                                 given.photos.front(), named->second));
  }
  for (const auto& path : given.photos) check_photos(path, given.photos.size());
  return fmt::format("image-folder:root={}",
                     Options::written(fmt::format("{}", fmt::join(given.photos, ":"))));
}
/// So that names which nobody gives stay empty.
void clear_names(TrainConfig& config) {
  config.model.clear();
  config.data.clear();
}

/// What nobody gave, as suits the data. @throws UsageError
void fill(TrainConfig& config) {
  const TrainConfig usual;
  if (config.data.empty() && !config.model.empty()) {
    models().choose(config.model);  // an unknown name is what to mend first
    throw UsageError(
        fmt::format("--model {} is given, but nothing to train on; give a folder of photos with a "
                    "folder per class, or --data NAME, e.g. --data {}; 'yoke data list' says what "
                    "there is",
                    config.model, usual.data));
  }
  if (config.data.empty()) config.data = usual.data;
  const DatasetTraits traits = datasets().choose(config.data).traits;
  if (config.model.empty()) config.model = traits.usual_model;
  if (config.model.empty()) config.model = usual.model;
  const bool sized = config.batch_size.given() || config.batch_size_per_rank;
  if (!sized && traits.usual_batch_size > 0) config.batch_size = traits.usual_batch_size;
  apply_augmentation_set(config);
}

/// A default as one types it: recipes have `true` for what is `on` here.
std::string typed(const TrainFlag& flag, const std::string& value) {
  if (flag.value != "on/off") return value;
  return value == "true" ? "on" : "off";
}

void add_flag(CLI::App& command, const TrainFlag& flag, GivenConfig& given) {
  std::string name = "--" + flag.name;
  for (const auto& alias : flag.aliases) name += "," + alias;
  const std::string help = flag.range.empty() ? flag.help : flag.help + "; " + flag.range;
  CLI::Option* option = nullptr;
  if (flag.value.empty()) {
    option = command.add_flag(name, help);
    option->each([&given, name = flag.name](const std::string& value) {
      given.values[name] = value;  // "true", or what stands behind a =
    });
  } else {
    option = command.add_option_function<std::string>(
        name, [&given, name = flag.name](const std::string& value) { given.values[name] = value; },
        help);
    option->type_name(flag.value);
    if (const auto value = flag.get(TrainConfig())) option->default_str(typed(flag, *value));
  }
  option->group(flag.group);
}

}  // namespace

void add_photos(CLI::App& command, GivenConfig& given) {
  command
      .add_option("PHOTOS", given.photos,
                  "Folders, or tar files, of photos with a folder per class; or give --data")
      ->type_name("PATH");
}

void add_config_flags(CLI::App& command, GivenConfig& given,
                      const std::vector<std::string>& names) {
  command
      .add_option("--recipe", given.recipe,
                  "TOML file with defaults for every flag of training; flags given here win")
      ->type_name("FILE")
      ->group(train_flags().front().group);
  for (const auto& flag : train_flags()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), flag.name) != names.end();
    if (wanted) add_flag(command, flag, given);
  }
}

TrainConfig resolve(const GivenConfig& given) {
  TrainConfig config;
  clear_names(config);
  if (!given.recipe.empty()) apply_file(config, given.recipe);
  const bool total = given.values.contains(flag::kBatchSize);
  const bool per_rank = given.values.contains(flag::kBatchSizePerRank);
  const auto apply_flags = [&] {
    if (total && !per_rank) config.batch_size_per_rank.reset();
    if (per_rank && !total) config.batch_size = {};
    for (const auto& flag : train_flags()) {
      const auto value = given.values.find(flag.name);
      if (value != given.values.end()) flag.set(config, value->second);
    }
    if (!given.photos.empty()) config.data = data_of(given);
  };
  apply_flags();
  const fs::path saved =
      config.resume.empty() ? fs::path() : RunDirectory{resumed_run(config)}.config();
  if (saved.empty() || !fs::exists(saved)) {
    fill(config);
    return config;
  }
  const std::string resume = config.resume;
  const auto out = config.out;
  config = TrainConfig();
  apply_file(config, saved);
  if (!given.recipe.empty()) apply_file(config, given.recipe);
  config.resume = resume;
  config.out = out;
  apply_flags();
  return config;
}

}  // namespace yoke

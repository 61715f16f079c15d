#include "apps/yoke/given_config.h"

#include <algorithm>
#include <filesystem>

#include "yoke/core/files/recipe.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/resume.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

void apply_file(TrainConfig& config, const std::filesystem::path& path) {
  apply_recipe(config, read_recipe(path), path.string());
}

void add_flag(CLI::App& command, const TrainFlag& flag, GivenConfig& given) {
  std::string name = "--" + flag.name;
  for (const auto& alias : flag.aliases) name += "," + alias;
  CLI::Option* option = nullptr;
  if (flag.value.empty()) {
    option = command.add_flag_function(
        name, [&given, name = flag.name](std::int64_t) { given.values[name] = "true"; }, flag.help);
  } else {
    option = command.add_option_function<std::string>(
        name, [&given, name = flag.name](const std::string& value) { given.values[name] = value; },
        flag.help);
    option->type_name(flag.value);
    if (const auto value = flag.get(TrainConfig())) option->default_str(*value);
  }
  option->group(flag.group);
}

}  // namespace

void add_config_flags(CLI::App& command, GivenConfig& given,
                      const std::vector<std::string>& names) {
  command
      .add_option("--recipe", given.recipe,
                  "TOML file with defaults for every flag below; flags given here win")
      ->type_name("FILE");
  for (const auto& flag : train_flags()) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), flag.name) != names.end();
    if (wanted) add_flag(command, flag, given);
  }
}

TrainConfig resolve(const GivenConfig& given) {
  TrainConfig config;
  if (!given.recipe.empty()) apply_file(config, given.recipe);
  const bool total = given.values.contains(flag::kBatchSize);
  const bool per_rank = given.values.contains(flag::kBatchSizePerRank);
  const auto apply_flags = [&] {
    if (total && !per_rank) config.batch_size_per_rank.reset();
    if (per_rank && !total) config.batch_size.reset();
    for (const auto& flag : train_flags()) {
      const auto value = given.values.find(flag.name);
      if (value != given.values.end()) flag.set(config, value->second);
    }
  };
  apply_flags();
  if (config.resume.empty()) return config;
  const auto saved = RunDirectory{resumed_run(config)}.config();
  if (!std::filesystem::exists(saved)) return config;
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

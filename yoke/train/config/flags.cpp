#include "yoke/train/config/flags.h"

#include <fmt/format.h>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"

namespace yoke {
namespace {

/// What is given for `flag`, else what was `resolved`, unless that is null.
std::optional<std::string> value_of(const TrainFlag& flag, const TrainConfig& config,
                                    const Resolved* resolved) {
  auto given = flag.get(config);
  if (given || resolved == nullptr || !flag.resolved) return given;
  return flag.resolved(*resolved);
}

std::vector<RecipeEntry> entries_of(const TrainConfig& config, const Resolved* resolved,
                                    unsigned without) {
  std::vector<RecipeEntry> entries;
  for (const auto& flag : train_flags()) {
    if ((flag.roles & without) != 0) continue;
    if (const auto value = value_of(flag, config, resolved)) {
      const bool quoted = flag.quoted || value->find(':') != std::string::npos;  // sizes by epoch
      entries.push_back({.key = flag.name, .value = *value, .quoted = quoted, .line = 0});
    }
  }
  return entries;
}

}  // namespace

void apply_recipe(TrainConfig& config, const std::vector<RecipeEntry>& entries,
                  const std::string& where) {
  for (const auto& entry : entries) {
    const TrainFlag* found = nullptr;
    std::vector<std::string> names;
    for (const auto& flag : train_flags()) {
      names.push_back(flag.name);
      if (flag.name == entry.key) found = &flag;
    }
    if (found == nullptr) {
      throw UsageError(fmt::format("{}:{}: unknown key '{}'; {}", where, entry.line, entry.key,
                                   suggest(entry.key, names)));
    }
    try {
      found->set(config, entry.value);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", where, entry.line, error.what()));
    }
  }
}

std::vector<std::string> flags_that_are(unsigned roles, unsigned without) {
  std::vector<std::string> names;
  for (const auto& flag : train_flags()) {
    if ((flag.roles & roles) == roles && (flag.roles & without) == 0) names.push_back(flag.name);
  }
  return names;
}

std::vector<RecipeEntry> to_recipe(const TrainConfig& config, unsigned without) {
  return entries_of(config, nullptr, without);
}

std::vector<RecipeEntry> to_recipe(const TrainConfig& config, const Resolved& resolved,
                                   unsigned without) {
  return entries_of(config, &resolved, without);
}

std::vector<RecipeEntry> run_recipe(const TrainConfig& config, const Resolved& resolved) {
  return to_recipe(config, resolved, kPlace);
}

void validate(const TrainConfig& config) {
  if (config.batch_size.given() && config.batch_size_per_rank) {
    throw UsageError(
        fmt::format("both --batch-size {} and --batch-size-per-rank {} are given; give "
                    "one: the first counts images over all ranks, the second per rank",
                    config.batch_size.str(), *config.batch_size_per_rank));
  }
}

}  // namespace yoke

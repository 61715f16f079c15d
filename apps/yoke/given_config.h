// apps/yoke/given_config.h: the flags of `yoke train`, as they come from a command line.
#pragma once
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "yoke/train/config/config.h"

namespace yoke {

/// What the command line gave, as text.
struct GivenConfig {
  std::vector<std::string> photos;  ///< Folders or tar files to train on, in place of `--data`.
  std::string recipe;
  std::map<std::string, std::string> values;  ///< By the flag's name.
};

/// Adds PHOTOS. `given` must outlive the command, here and below.
void add_photos(CLI::App& command, GivenConfig& given);

/// Adds `--recipe` and the flags of `yoke train` that are in `names`; all where that is empty.
void add_config_flags(CLI::App& command, GivenConfig& given,
                      const std::vector<std::string>& names = {});

/// Recipe, then the configuration of a run to go on with, then flags: the later wins. Model and
/// batch size suit the data where they are not given.
/// @throws UsageError where a model is named and no data: drawn digits are for a first look.
TrainConfig resolve(const GivenConfig& given);

}  // namespace yoke

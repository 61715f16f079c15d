#include "yoke/train/run_directory.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "yoke/core/error.h"
#include "yoke/core/files/atomic.h"
#include "yoke/core/plugins/options.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::string default_name(const TrainConfig& config) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d-%H%M%S}-{}-{}", fmt::localtime(now),
                     Choice::parse(config.model, "model").name,
                     Choice::parse(config.data, "data set").name);
}

/// Makes a directory of its own below runs/, also where another run starts in the same second.
fs::path make_default(const TrainConfig& config) {
  const fs::path parent = kRunsFolder;
  fs::create_directories(parent);
  const std::string name = default_name(config);
  fs::path path = parent / name;
  for (int number = 2; !fs::create_directory(path); ++number) {
    path = parent / fmt::format("{}-{}", name, number);
  }
  return path;
}

/// Whether anything is in `directory` but the logs of `yoke run`, which come before the run.
bool holds_a_run(const fs::path& directory) {
  const fs::directory_iterator entries(directory);
  return std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().filename() != kLogsFolder || !entry.is_directory();
  });
}

}  // namespace

RunDirectory make_run_directory(const TrainConfig& config, bool goes_on) {
  try {
    if (config.out.empty()) return {make_default(config)};
    remove_leftovers(config.out);
    if (!goes_on && fs::exists(config.out) && holds_a_run(config.out)) {
      throw UsageError(fmt::format(
          "run directory {} exists already and is not overwritten; go on with it by --resume auto, "
          "or give another --out",
          config.out.string()));
    }
    fs::create_directories(config.out);
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot make run directory {}: {}; give an --out that can be written",
                            config.out.empty() ? kRunsFolder : config.out.string(),
                            error.code().message()));
  }
  return {config.out};
}

}  // namespace yoke

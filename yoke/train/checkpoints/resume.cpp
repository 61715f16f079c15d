#include "yoke/train/checkpoints/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/run/summary.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

bool is_step_folder(const fs::path& path) {
  return path.filename().string().starts_with(kStepPrefix);
}

/// `path` without a trailing slash, absolute.
fs::path tidy(const fs::path& path) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

/// The folder checkpoints/ that `path` (a run, its checkpoints/, or one step) lies in.
fs::path checkpoints_of(const fs::path& path) {
  const fs::path given = tidy(path);
  if (is_step_folder(given)) return given.parent_path();
  const fs::path folder = RunDirectory{given}.checkpoints();
  return given.filename() == folder.filename() ? given : folder;
}

/// What `--resume PATH` means, for comparison with another time.
std::string source(const TrainConfig& config) {
  return fs::weakly_canonical(tidy(config.resume)).string();
}

/// Whether the run in `--out` began by this very `--resume PATH`.
bool began_from_there(const TrainConfig& config) {
  const fs::path note = RunDirectory{config.out}.resumed_from();
  return config.resume != "auto" && fs::exists(note) && read_file(note) == source(config) + "\n";
}

bool is_own_run(const TrainConfig& config) {
  return fs::weakly_canonical(tidy(resumed_run(config))) == fs::weakly_canonical(tidy(config.out));
}

/// The newest good one, not newer than the step folder `limit`, if that is one.
std::optional<Checkpoint> newest_good(const fs::path& directory, const fs::path& limit,
                                      const std::function<void(const std::string&)>& warn) {
  for (const auto& candidate : list_checkpoints(directory)) {
    if (is_step_folder(limit) && checkpoint_step(candidate) > checkpoint_step(limit)) continue;
    try {
      return read_checkpoint(candidate);
    } catch (const Error& error) {
      warn(fmt::format("warning: {}; trying the checkpoint before", error.what()));
    }
  }
  return std::nullopt;
}

/// Flags that a resumed run must share with the run it goes on with.
void check_same_run(const TrainConfig& config, const nlohmann::json& saved) {
  std::map<std::string, std::string> given;
  for (const auto& entry : to_recipe(config)) given[entry.key] = entry.value;
  std::vector<std::string> differences;
  for (const auto& key : flags_that_are(kIdentity)) {
    const std::string before = saved.value(key, "");
    if (before != given[key]) {
      differences.push_back(fmt::format("--{} is '{}', was '{}'", key, given[key], before));
    }
  }
  if (differences.empty()) return;
  throw UsageError(
      fmt::format("the checkpoint is of another run: {}; give the flags of that run, or start a "
                  "new one without {}",
                  fmt::join(differences, "; "), as_flag(flag::kResume)));
}

}  // namespace

fs::path resumed_run(const TrainConfig& config) {
  if (config.resume.empty()) return {};
  if (config.resume != "auto") return checkpoints_of(config.resume).parent_path();
  if (config.out.empty()) {
    throw UsageError("--resume auto needs --out DIR, the run to go on with; or give --resume PATH");
  }
  return config.out;
}

bool goes_on_in_out(const TrainConfig& config) {
  return !config.resume.empty() && (is_own_run(config) || began_from_there(config));
}

void note_resume(const TrainConfig& config, const RunDirectory& directory) {
  if (config.resume.empty() || config.resume == "auto") return;
  write_file(directory.resumed_from(), source(config) + "\n");
}

void check_nothing_to_lose(const RunDirectory& directory) {
  const auto checkpoints = list_checkpoints(directory.checkpoints());
  if (!checkpoints.empty()) {
    std::string problem = "another rank does not see it";
    try {
      verify_checkpoint(checkpoints.front());
    } catch (const Error& error) {
      problem = error.what();
    }
    throw Error(fmt::format(
        "no checkpoint in {} can be read, and the run does not begin again over them: {}; try "
        "again when they can be, or give another --out",
        directory.checkpoints().string(), problem));
  }
  if (!has_completed(directory.summary())) return;
  throw UsageError(
      fmt::format("the run in {} has completed, without a checkpoint to go on from, and is not "
                  "trained over; give another --out to train anew",
                  directory.path.string()));
}

std::optional<Checkpoint> find_resume(const TrainConfig& config, bool restarted,
                                      const std::function<void(const std::string&)>& warn) {
  if (config.resume.empty()) return std::nullopt;
  const fs::path directory = RunDirectory{resumed_run(config)}.checkpoints();
  const bool automatic = config.resume == "auto";
  std::optional<Checkpoint> checkpoint;
  if (began_from_there(config) && (restarted || !is_own_run(config))) {
    checkpoint = newest_good(RunDirectory{config.out}.checkpoints(), fs::path(), warn);
  }
  if (!checkpoint) {
    checkpoint = newest_good(directory, automatic ? fs::path() : tidy(config.resume), warn);
  }
  if (!checkpoint && !automatic) {
    throw UsageError(
        fmt::format("no good checkpoint at {}: looked for {}/{}*; give a run made "
                    "with --checkpoint-every",
                    config.resume, directory.string(), kStepPrefix));
  }
  if (checkpoint) check_same_run(config, checkpoint->state.at("config"));
  return checkpoint;
}

}  // namespace yoke

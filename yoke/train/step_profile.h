// yoke/train/step_profile.h: a profile of some steps of a run, over all ranks.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "yoke/comm/communicator.h"
#include "yoke/report/profile/profiler.h"
#include "yoke/train/config/step_range.h"

namespace yoke {

/// What to tell before the first step of steps that are asked for; nothing where they will be
/// taken. `done` are, in `total`. @throws UsageError where the run ends before them.
std::optional<std::string> check_profile(StepRange steps, std::int64_t done, std::int64_t total);

/// Records the steps of a range and has rank 0 write them as one file. Time begins for all ranks
/// when they have met before the first of these steps, so clocks of hosts need not agree.
class StepProfile {
 public:
  /// `records`: whether this rank does it for its process. `communicator` must outlive it.
  StepProfile(StepRange steps, std::filesystem::path path, Communicator& communicator,
              bool records);

  /// Whether steps must end after `step` of them.
  bool halts(std::int64_t step) const { return step + 1 == steps_.first || step == steps_.last; }

  /// After `step` steps: begins where the range does, and ends where it does or the run `ended`.
  /// All ranks call it alike. Returns what to tell of what was written or, where that failed, why.
  std::optional<std::string> after(std::int64_t step, bool ended = false);

 private:
  std::optional<std::string> write(std::int64_t last);

  const StepRange steps_;
  const std::filesystem::path path_;
  Communicator& communicator_;
  const bool records_;
  std::optional<std::int64_t> begun_;  // after how many steps
  std::optional<Profiler> profiler_;
};

}  // namespace yoke

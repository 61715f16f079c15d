// apps/yoke/race_scores.h: the scores of a race's runs, each measured again.
#pragma once
#include <filesystem>
#include <vector>

#include "yoke/study/jobs.h"
#include "yoke/study/scoreboard.h"

namespace yoke {

/// Scores the runs that have completed or failed, tells of each, adds them to the file `scoreboard`
/// and writes its table beside it; returns them.
std::vector<study::RaceRun> keep_scores(const std::filesystem::path& scoreboard,
                                        const std::vector<study::Job>& jobs);

/// Tells how many of the runs reached the target, and when.
void tell_result(const std::vector<study::RaceRun>& runs);

}  // namespace yoke

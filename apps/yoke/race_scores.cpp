#include "apps/yoke/race_scores.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "apps/yoke/capture.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/file_lock.h"
#include "yoke/run/layout.h"
#include "yoke/run/run_results.h"
#include "yoke/run/summary.h"
#include "yoke/study/findings/statistics.h"
#include "yoke/study/report/words.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// Accuracy of the weights that a run left, measured by another process.
double verify(const fs::path& run) {
  const auto printed = capture({own_program().string(), "evaluate", run.string(), "--json"});
  return nlohmann::json::parse(last_line(printed)).at("top1").get<double>();
}

/// When the run ended.
std::time_t end_of(const study::Job& job) {
  const auto written = fs::last_write_time(RunDirectory{job.directory}.summary());
  return std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::file_clock::to_sys(written)));
}

/// The score of a run that completed, or that failed and so has not reached the target.
study::RaceRun score(const study::Job& job, const RunResults& run) {
  const bool completed = run.status == run_status::kCompleted;
  const std::string data = run.text(key::kData);
  return {.entry = job.point->name,
          .data = data.substr(0, data.find(':')),
          .images = static_cast<std::int64_t>(run.number(key::kValImages).value_or(0)),
          .target = run.number(key::kTargetAccuracy).value_or(1),
          .seconds = completed ? run.number(key::kTimeToTargetSeconds) : std::nullopt,
          .wall_seconds = run.number(key::kWallSeconds).value_or(0),
          .epochs = run.number(key::kEpochs).value_or(0),
          .claimed = run.number(key::kValTop1).value_or(0),
          .verified = completed ? verify(job.directory) : 0,
          .hosts = job.point->nodes,
          .ranks = static_cast<int>(run.number(key::kWorldSize).value_or(1)),
          .cpu = run.text(key::kHardwareCpu),
          .seed = job.seed,
          .yoke = run.text(key::kVersionsYoke),
          .date = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(end_of(job))),
          .run = fs::weakly_canonical(job.directory).string()};
}

void tell(const study::RaceRun& run, const std::string& status) {
  if (status == run_status::kFailed) {
    return say(fmt::format("seed {}: failed, so the target was not reached", run.seed));
  }
  const std::string measured =
      fmt::format("claims {}, and {} was measured again", study::in_percent(run.claimed),
                  study::in_percent(run.verified));
  if (!run.seconds) {
    say(fmt::format("seed {}: target not reached in {:.3g} epochs; {}", run.seed, run.epochs,
                    measured));
  } else {
    say(fmt::format("seed {}: {} after {} and {:.3g} epochs{}", run.seed, measured,
                    study::in_seconds(*run.seconds), run.epochs,
                    run.holds() ? "" : "; the claim does NOT hold"));
  }
}

}  // namespace

std::vector<study::RaceRun> keep_scores(const fs::path& scoreboard,
                                        const std::vector<study::Job>& jobs) {
  std::vector<study::RaceRun> runs;
  for (const auto& job : jobs) {
    if (!fs::exists(RunDirectory{job.directory}.summary())) continue;
    const auto run = read_run(job.directory);
    if (run.status != run_status::kCompleted && run.status != run_status::kFailed) continue;
    runs.push_back(score(job, run));
    tell(runs.back(), run.status);
  }
  if (runs.empty()) return runs;
  const fs::path table = fs::path(scoreboard).replace_extension(".md");
  const FileLock alone(scoreboard.string() + ".lock");
  auto board = study::read_scoreboard(scoreboard);
  for (const auto& run : runs) study::add_run(board, run);
  write_file(scoreboard, study::scoreboard_text(board));
  write_file(table, study::scoreboard_markdown(board));
  say(fmt::format("{}\n{}", scoreboard.string(), table.string()));
  return runs;
}

void tell_result(const std::vector<study::RaceRun>& runs) {
  std::vector<double> seconds;
  for (const auto& run : runs) {
    if (run.holds()) seconds.push_back(*run.seconds);
  }
  if (runs.empty()) return;
  say(fmt::format(
      "{} of {} runs reached {}{}", seconds.size(), runs.size(),
      study::in_percent(runs.front().target),
      seconds.empty() ? "" : ": " + study::spread(study::summarise(seconds), study::in_seconds)));
}

}  // namespace yoke

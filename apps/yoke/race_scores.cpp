#include "apps/yoke/race_scores.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "apps/yoke/capture.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/file.h"
#include "yoke/core/file_lock.h"
#include "yoke/study/run.h"
#include "yoke/study/statistics.h"
#include "yoke/study/words.h"

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
  const auto written = fs::last_write_time(job.directory / "summary.json");
  return std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(
          std::chrono::file_clock::to_sys(written)));
}

/// The score of a run that completed, or that failed and so has not reached the target.
study::RaceRun score(const study::Job& job, const study::RunRecord& run) {
  const bool completed = run.status == "completed";
  const std::string data = run.text("data");
  return {.entry = job.point->name,
          .data = data.substr(0, data.find(':')),
          .images = static_cast<std::int64_t>(run.number("val_images").value_or(0)),
          .target = run.number("target_accuracy").value_or(1),
          .seconds = completed ? run.number("time_to_target_seconds") : std::nullopt,
          .wall_seconds = run.number("wall_seconds").value_or(0),
          .epochs = run.number("epochs").value_or(0),
          .claimed = run.number("val_top1").value_or(0),
          .verified = completed ? verify(job.directory) : 0,
          .hosts = job.point->nodes,
          .ranks = static_cast<int>(run.number("world_size").value_or(1)),
          .cpu = run.text("hardware.cpu"),
          .seed = job.seed,
          .yoke = run.text("versions.yoke"),
          .date = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(end_of(job))),
          .run = fs::weakly_canonical(job.directory).string()};
}

void tell(const study::RaceRun& run, const std::string& status) {
  if (status == "failed") {
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
    if (!fs::exists(job.directory / "summary.json")) continue;
    const auto run = study::read_run(job.directory);
    if (run.status != "completed" && run.status != "failed") continue;
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

#include "apps/yoke/study_outcome.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "apps/yoke/capture.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/stop_signal.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/run/layout.h"
#include "yoke/study/outcome.h"
#include "yoke/study/report/report.h"
#include "yoke/study/report/words.h"
#include "yoke/train/config/flags.h"

namespace yoke {
namespace {

/// In a folder that is there.
std::filesystem::path lock_in(const std::filesystem::path& out) {
  make_folder(out);
  return out / ".lock";
}

/// Which points were skipped, and why, those of one reason together.
study::Section not_run_here(const std::vector<study::Skipped>& skipped) {
  std::map<std::string, std::vector<std::string>> points_by_reason;
  for (const auto& [point, runs, why] : skipped) points_by_reason[why].push_back(point);
  study::Section section{.heading = "Not run here"};
  for (const auto& [why, points] : points_by_reason) {
    section.sentences.push_back(fmt::format("{}: {}.", study::in_words(points), why));
  }
  return section;
}

}  // namespace

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void check_flags(const std::vector<RecipeEntry>& flags, const std::string& where) {
  TrainConfig config;
  apply_recipe(config, flags, where);
  validate(config);
}

StudyRuns::StudyRuns(const std::filesystem::path& out)
    : alone_(lock_in(out),
             fmt::format("another yoke study runs what goes into {}; wait until it has ended, or "
                         "give another --out",
                         out.string())) {
  hold_stop_signals();
  catch_stop_signals();
}

study::RunnerResult StudyRuns::run(const study::StudyPlan& plan,
                                   const std::vector<study::Job>& jobs, double later) const {
  const auto result = study::run_jobs(plan, jobs,
                                      {.program = own_program().string(),
                                       .environment = whole_environment(),
                                       .tell = say,
                                       .stop = &stop_requested(),
                                       .later = later});
  const int skipped = result.skipped_runs();
  say(fmt::format("{} runs completed now, {} before, {} failed, {}{} left", result.completed,
                  result.done_before, result.failed,
                  skipped > 0 ? fmt::format("{} skipped, ", skipped) : "", result.left));
  return result;
}

void write_outcome(const Outcome& outcome, const std::filesystem::path& out,
                   const std::vector<std::string>& formats) {
  make_folder(out);
  write_file(out / "study.csv", study::study_csv(outcome.jobs, outcome.skipped));
  say(fmt::format("{}", (out / "study.csv").string()));
  const auto comparison = study::completed_points(outcome.compared);
  if (!comparison) return;
  write_file(RunDirectory{out}.summary(), study::summary_json(outcome.title, *comparison));
  write_file(out / "summary.md", study::summary_markdown(outcome.title, *comparison));
  say((out / "summary.md").string());
  std::vector<study::Section> second;
  if (!outcome.skipped.empty()) second.push_back(not_run_here(outcome.skipped));
  const auto written = study::write_report(*comparison, {.title = outcome.title,
                                                         .out = out / "report.html",
                                                         .formats = formats,
                                                         .markdown = "README.md",
                                                         .environment = whole_environment(),
                                                         .first = outcome.first,
                                                         .second = second});
  for (const auto& path : written) say(path.string());
}

int study_status(const study::RunnerResult& result) {
  if (!result.wrong_usage.empty()) throw UsageError(result.wrong_usage);
  if (result.left > 0) {
    say("The study is not complete; the same command goes on with it.");
    return kStopped;
  }
  if (result.failed > 0) return kFailed;
  if (!result.skipped.empty() && result.completed + result.done_before == 0) {
    throw UnavailableError(result.skipped.front().why);
  }
  return 0;
}

}  // namespace yoke

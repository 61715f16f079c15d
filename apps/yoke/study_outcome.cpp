#include "apps/yoke/study_outcome.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/yoke/capture.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/stop_signal.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/file_lock.h"
#include "yoke/core/system/exit_status.h"
#include "yoke/run/layout.h"
#include "yoke/study/outcome.h"
#include "yoke/study/report/report.h"
#include "yoke/train/config/flags.h"

namespace yoke {

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void check_flags(const std::vector<RecipeEntry>& flags, const std::string& where) {
  TrainConfig config;
  apply_recipe(config, flags, where);
  validate(config);
}

study::RunnerResult run_study(const study::StudyPlan& plan, const std::vector<study::Job>& jobs,
                              const std::filesystem::path& out) {
  make_folder(out);
  const FileLock alone(
      out / ".lock",
      fmt::format("another yoke study runs what goes into {}; wait until it has ended, or give "
                  "another --out",
                  out.string()));
  hold_stop_signals();
  catch_stop_signals();
  const auto result = study::run_jobs(plan, jobs,
                                      {.program = own_program().string(),
                                       .environment = whole_environment(),
                                       .tell = say,
                                       .stop = &stop_requested()});
  say(fmt::format("{} runs completed now, {} before, {} failed, {} left", result.completed,
                  result.done_before, result.failed, result.left));
  return result;
}

void write_outcome(const study::StudyPlan& plan, const std::vector<study::Job>& jobs,
                   const std::filesystem::path& out, const std::vector<std::string>& formats) {
  make_folder(out);
  write_file(out / "study.csv", study::study_csv(jobs));
  say(fmt::format("{}", (out / "study.csv").string()));
  const auto comparison = study::completed_points(jobs);
  if (!comparison) return;
  write_file(RunDirectory{out}.summary(), study::summary_json(plan.title, *comparison));
  write_file(out / "summary.md", study::summary_markdown(plan.title, *comparison));
  say((out / "summary.md").string());
  const auto written = study::write_report(*comparison, {.title = plan.title,
                                                         .out = out / "report.html",
                                                         .formats = formats,
                                                         .markdown = "README.md",
                                                         .environment = whole_environment()});
  for (const auto& path : written) say(path.string());
}

int study_status(const study::RunnerResult& result) {
  if (!result.wrong_usage.empty()) throw UsageError(result.wrong_usage);
  if (result.left > 0) {
    say("The study is not complete; the same command goes on with it.");
    return kStopped;
  }
  return result.failed > 0 ? 1 : 0;
}

}  // namespace yoke

// apps/yoke/study.cpp: `yoke study` runs a grid of trainings, and reports on it.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/environment.h"
#include "apps/yoke/stop_signal.h"
#include "yoke/core/error.h"
#include "yoke/core/file.h"
#include "yoke/study/jobs.h"
#include "yoke/study/outcome.h"
#include "yoke/study/report.h"
#include "yoke/study/runner.h"
#include "yoke/train/flags.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
constexpr int kStopped = 75;  // EX_TEMPFAIL: the same command goes on

struct GivenStudy {
  std::string file;
  std::string out;
  study::StudyRequest request;
  std::vector<std::string> formats = {"html"};
};

void check_flags(const std::vector<RecipeEntry>& flags, const std::string& where) {
  TrainConfig config;
  apply_recipe(config, flags, where);
  validate(config);
}

fs::path out_of(const GivenStudy& given) {
  if (!given.out.empty()) return given.out;
  const std::string name = fs::path(given.file).stem().string();
  return fs::path("runs") / (given.request.short_form ? name + "-short" : name);
}

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// Writes what there is so far; also of a study that was stopped.
void write_outcome(const GivenStudy& given, const study::StudyPlan& plan,
                   const std::vector<study::Job>& jobs, const fs::path& out) {
  write_file(out / "study.csv", study::study_csv(jobs));
  say(fmt::format("{}", (out / "study.csv").string()));
  const auto comparison = study::completed_points(jobs);
  if (!comparison) return;
  write_file(out / "summary.json", study::summary_json(plan.title, *comparison));
  write_file(out / "summary.md", study::summary_markdown(plan.title, *comparison));
  say((out / "summary.md").string());
  const auto written = study::write_report(*comparison, {.title = plan.title,
                                                         .out = out / "report.html",
                                                         .formats = given.formats,
                                                         .environment = whole_environment()});
  for (const auto& path : written) say(path.string());
}

int study_command(const GivenStudy& given) {
  const auto plan = study::read_study(given.file, given.request, check_flags);
  const fs::path out = out_of(given);
  const auto jobs = study::jobs_of(plan, out / "runs");
  say(fmt::format("{}: {} points, {} repetitions and {} warm-ups of each, in {}", plan.title,
                  plan.points.size(), plan.repetitions, plan.warm_ups, out.string()));
  catch_stop_signals();
  const auto result = study::run_jobs(plan, jobs,
                                      {.program = fs::canonical("/proc/self/exe").string(),
                                       .environment = whole_environment(),
                                       .tell = say,
                                       .stop = &stop_requested()});
  say(fmt::format("{} runs completed now, {} before, {} failed, {} left", result.completed,
                  result.done_before, result.failed, result.left));
  write_outcome(given, plan, jobs, out);
  if (result.left > 0) {
    say("The study is not complete; the same command goes on with it.");
    return kStopped;
  }
  return result.failed > 0 ? 1 : 0;
}

}  // namespace

void add_study_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "study", "Run a grid of trainings, or what of it is not done yet, and report on it");
  const auto given = std::make_shared<GivenStudy>();
  command->add_option("FILE", given->file, "TOML file that says what to run; see docs/study.md")
      ->required();
  command->add_option("--out", given->out, "Folder of its runs and results (runs/<name of FILE>)")
      ->type_name("DIR");
  command->add_flag("--short", given->request.short_form,
                    "The short form that the file's [short] tables describe");
  command
      ->add_option("--hosts", given->request.hosts,
                   "A set of hosts for one run at a time; once for each set")
      ->type_name("a,b")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--data-dir", given->request.data_dir, "Where data sets are")
      ->type_name("DIR");
  command->add_option("--format", given->formats, "Of the report: html, pdf, svg, png")
      ->type_name("NAME[,...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->callback([given, &run] { run = [given] { return study_command(*given); }; });
}

}  // namespace yoke

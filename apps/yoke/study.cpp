// apps/yoke/study.cpp: `yoke study` runs a grid of trainings, and reports on it.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "apps/yoke/commands.h"
#include "apps/yoke/race.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenStudy {
  std::string file;
  std::string out;
  study::StudyRequest request;
  std::vector<std::string> formats = {"html"};
};

fs::path out_of(const GivenStudy& given) {
  if (!given.out.empty()) return given.out;
  const std::string name = fs::path(given.file).stem().string();
  return fs::path("runs") / (given.request.short_form ? name + "-short" : name);
}

int study_command(const GivenStudy& given) {
  const auto plan = study::read_study(given.file, given.request, check_flags);
  const fs::path out = out_of(given);
  const auto jobs = study::jobs_of(plan, out / "runs");
  say(fmt::format("{}: {} points, {} repetitions and {} warm-ups of each, in {}", plan.title,
                  plan.points.size(), plan.repetitions, plan.warm_ups, out.string()));
  const auto result = run_study(plan, jobs);
  write_outcome(plan, jobs, out, given.formats);
  return study_status(result);
}

}  // namespace

void add_study_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "study", "Run a grid of trainings, or what of it is not done yet, and report on it");
  const auto given = std::make_shared<GivenStudy>();
  command->add_option("FILE", given->file, "TOML file that says what to run; see docs/study.md");
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
  add_race_command(*command, run);
  command->callback([given, command, &run] {
    if (!command->get_subcommands().empty()) return;
    if (given->file.empty()) {
      throw UsageError("FILE is required: 'yoke study FILE', or 'yoke study race RECIPE'");
    }
    run = [given] { return study_command(*given); };
  });
}

}  // namespace yoke

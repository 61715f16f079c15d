// apps/yoke/study.cpp: `yoke study` runs a grid of trainings, and reports on it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/yoke/capture.h"
#include "apps/yoke/commands.h"
#include "apps/yoke/race.h"
#include "apps/yoke/search.h"
#include "apps/yoke/study_flags.h"
#include "apps/yoke/study_outcome.h"
#include "yoke/core/error.h"
#include "yoke/core/format.h"
#include "yoke/core/system/shell.h"
#include "yoke/run/flag_names.h"
#include "yoke/run/layout.h"
#include "yoke/study/emit/emit.h"
#include "yoke/study/jobs.h"
#include "yoke/study/report/report.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

struct GivenGrid : GivenStudy {
  std::string emit;  // a scheduler
};

/// Files for a scheduler, which runs the study in place of this program.
int emit(const GivenGrid& given, const study::StudyPlan& plan, const fs::path& out) {
  study::EmitContext context{.file = fs::absolute(given.file).lexically_normal(),
                             .out = fs::absolute(out).lexically_normal(),
                             .directory = fs::current_path(),
                             .program = own_program().string()};
  if (!context.out.has_filename()) context.out = context.out.parent_path();
  context.report_words = {"study", context.file.string(), as_flag(flag::kOut), context.out.string(),
                          study_flag::kReportOnly};
  if (given.request.short_form) context.report_words.emplace_back(study_flag::kShort);
  if (!given.request.data_dir.empty()) {
    context.report_words.push_back(as_flag(flag::kDataDir));
    context.report_words.push_back(given.request.data_dir);
  }
  context.report_words.emplace_back(study_flag::kFormat);
  context.report_words.push_back(fmt::format("{}", fmt::join(given.formats, ",")));
  const auto jobs = study::jobs_of(plan, context.out / kRunsFolder);
  const int left = study::emit(given.emit, plan, jobs, context);
  if (left == 0) {
    say(fmt::format("All {} runs have completed; nothing is left for {}.", jobs.size(),
                    given.emit));
    return 0;
  }
  say(fmt::format("{} of {} runs are left. To have {} run them:\n  {}", left, jobs.size(),
                  given.emit,
                  shell_line({(context.out / given.emit / study::kSubmitScript).string()})));
  return 0;
}

/// Tables and report alone, as when a scheduler has run the study.
int report_only(const GivenGrid& given, const study::StudyPlan& plan, const fs::path& out) {
  const auto jobs = study::jobs_of(plan, out / kRunsFolder);
  const auto done = std::count_if(jobs.begin(), jobs.end(), study::is_done);
  say(fmt::format("{}: {} of {} runs have completed", plan.title, done, jobs.size()));
  write_outcome({.title = plan.title, .jobs = jobs, .compared = jobs}, out, given.formats);
  return 0;
}

int study_command(const GivenGrid& given) {
  study::check_formats(given.formats);
  const auto plan = study::read_study(given.file, given.request, check_flags);
  const fs::path out = given.folder();
  if (!given.emit.empty()) return emit(given, plan, out);
  if (given.report_only) return report_only(given, plan, out);
  const auto jobs = study::jobs_of(plan, out / kRunsFolder);
  say(fmt::format("{}: {} with {} and {} each, in {}", plan.title,
                  format_count(static_cast<std::int64_t>(plan.points.size()), "point"),
                  format_count(plan.repetitions, "repetition"),
                  format_count(plan.warm_ups, "warm-up"), out.string()));
  const auto result = StudyRuns(out).run(plan, jobs);
  write_outcome({.title = plan.title, .jobs = jobs, .compared = jobs, .skipped = result.skipped},
                out, given.formats);
  return study_status(result);
}

}  // namespace

void add_study_command(CLI::App& program, Run& run) {
  auto* const command = program.add_subcommand(
      "study", "Run a grid of trainings, or what is left of it, and report on it");
  const auto given = std::make_shared<GivenGrid>();
  const StudyFlags flags = add_study_flags(*command, *given);
  auto* const emit =
      command->add_option("--emit", given->emit, "Run nothing, but write files for this scheduler")
          ->type_name("slurm/kubernetes")
          ->excludes(flags.hosts)
          ->excludes(flags.jobs);
  flags.report_only->excludes(emit);
  add_race_command(*command, run);
  add_search_command(*command, run);
  command->callback([given, command, &run] {
    if (!command->get_subcommands().empty()) return;
    if (given->file.empty()) {
      throw UsageError(
          "FILE is required: 'yoke study FILE', 'yoke study search FILE', or 'yoke study race "
          "RECIPE'");
    }
    given->request.elsewhere = given->report_only || !given->emit.empty();
    run = [given] { return study_command(*given); };
  });
}

}  // namespace yoke
